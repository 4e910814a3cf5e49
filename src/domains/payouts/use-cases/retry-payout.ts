import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import type { Payout } from '../payout.entity.ts';
import { lockOwnPayout } from '../payout-state.queries.ts';
import { createPayout } from './create-payout.ts';

/**
 * Creates a new payout for one that failed, with the amount computed anew, by the method that the affiliate chooses now: they may
 * have changed it because of the failure. Throws ALREADY_RETRIED on the second call.
 */
export const retryPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const failed = await lockOwnPayout(ctx, input.id);
    if (failed.status !== 'failed')
      throw conflict('NOT_FAILED', 'Only a failed payout can be retried', { status: failed.status });
    const retry = await firstRow(ctx.em, db.selectFrom('payout').select('id').where('retryOf', '=', failed.id));
    if (retry) throw conflict('ALREADY_RETRIED', 'The payout has already been retried', { payoutId: retry.id });
    return createPayout(ctx, {
      affiliateId: failed.affiliateId,
      programId: failed.programId,
      notes: failed.notes ?? undefined,
      belowThreshold: failed.belowThreshold,
      retryOf: failed.id,
    });
  });
