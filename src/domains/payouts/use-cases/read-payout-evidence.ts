import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { readEvidence } from '../evidence.steps.ts';
import { findPayout } from '../payout-state.queries.ts';
import type { RecordedCall } from '../rails/recorded-calls.ts';

/** Exchanges that are read at once, the newest ones. Each look-up that says something new leaves one. */
const MAX_READ = 200;

export interface PayoutEvidence {
  payoutId: string;
  /** Oldest first. */
  exchanges: { at: string; attempt: number; calls: readonly RecordedCall[] }[];
}

/** What was sent to the provider and what it answered, with the payee's data: every reading is in the merchant's audit log. Throws NOT_FOUND. */
export const readPayoutEvidence = (ctx: Context, { id }: { id: string }): Promise<PayoutEvidence> =>
  inTransaction(ctx, async (ctx) => {
    const { merchantId } = await findPayout(ctx, id);
    const newest = db.selectFrom('payout_evidence').select(['id', 'attempt', 'content', 'createdAt']).where('payoutId', '=', id);
    const found = await rows(ctx.em, newest.orderBy('id', 'desc').limit(MAX_READ));
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'payout.evidence_read',
      resourceId: id,
      after: { exchanges: found.length },
    });
    const exchanges = found.reverse().map(({ createdAt, attempt, ...stored }) => ({
      at: createdAt,
      attempt,
      calls: readEvidence(ctx, stored),
    }));
    return { payoutId: id, exchanges };
  });
