import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { type PasskeyReplacementView, type PasskeyView, toPasskey, toPasskeyReplacement } from './passkeys.wire.ts';
import { personOf } from './people.queries.ts';

/** Finds a person's passkeys, newest first. */
export const findPasskeys = (ctx: Context, personId: string) =>
  rows(
    ctx.em,
    db
      .selectFrom('passkey')
      .select(['id', 'credentialId', 'transports', 'name', 'createdAt', 'lastUsedAt'])
      .where('personId', '=', personId)
      .where('deletedAt', 'is', null)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc'),
  );

export const listPasskeys = async (ctx: Context): Promise<PasskeyView[]> =>
  (await findPasskeys(ctx, personOf(ctx).personId)).map(toPasskey);

/** Reads the replacement for a person of your account. NOT_FOUND for anybody else. */
export const getPasskeyReplacement = async (
  ctx: Context,
  { personId }: { personId: string },
): Promise<PasskeyReplacementView> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('person_role as r')
      .leftJoin('passkey_replacement as x', (join) =>
        join.onRef('x.personId', '=', 'r.personId').on('x.status', '=', sql.lit('pending' as const)),
      )
      .select(['r.personId', 'x.dueAt'])
      .where('r.merchantId', '=', merchantOf(ctx))
      .where('r.personId', '=', personId)
      .where('r.removedAt', 'is', null),
  );
  if (!found) throw notFound('Person');
  return toPasskeyReplacement(found);
};
