import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import { db } from '../tables.ts';

/** EXTERNAL_ID_TAKEN when another affiliate of the program has it. Nobody else takes one there until the transaction ends. */
export const assertExternalIdIsFree = async (
  ctx: Context,
  { programId, externalId, affiliateId }: { programId: string; externalId: string; affiliateId?: string },
): Promise<void> => {
  await lockName(ctx, `external-id:${programId}:${externalId}`);
  const holder = await firstRow(
    ctx.em,
    db.selectFrom('affiliate').select('id').where('programId', '=', programId).where('externalId', '=', externalId),
  );
  if (!holder || holder.id === affiliateId) return;
  throw conflict('EXTERNAL_ID_TAKEN', 'Another affiliate of the program has this externalId', { affiliateId: holder.id });
};
