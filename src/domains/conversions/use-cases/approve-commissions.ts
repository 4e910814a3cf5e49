import type { Context } from '../../../platform/context.ts';
import { approveOrLog } from '../hold/approve-due-conversions.steps.ts';
import { findDueConversions } from '../hold/due-conversions.queries.ts';
import { endFinishedChecks } from '../hold/hold-back.steps.ts';

export interface ApprovalResult {
  released: number;
  /** True when more may be due. */
  more: boolean;
  /** Affiliates whose commissions could not be approved now; at most 100. They stay due. */
  failed: string[];
}

const TIME_BUDGET_MS = 5_000;
const MAX_ROUNDS = 20;
const MAX_REPORTED = 100;

/**
 * Approves up to `limit` commissions whose hold period is over, with one transaction per affiliate: an affiliate whose
 * transaction fails is logged and skipped. Concurrent runs approve each commission once. What a flag or a block holds is held
 * back, so that no later run reads it while the hold lasts. Ends after about 5 seconds.
 */
export const approveCommissions = async (ctx: Context, input: { limit: number }): Promise<ApprovalResult> => {
  const endsAt = performance.now() + TIME_BUDGET_MS;
  const failed: string[] = [];
  const result = (approved: number, more: boolean): ApprovalResult => ({
    released: approved,
    more,
    failed: failed.slice(0, MAX_REPORTED),
  });
  let approved = 0;
  for (let round = 0; round < MAX_ROUNDS && approved < input.limit; round++) {
    const due = await findDueConversions(ctx, input.limit - approved, failed);
    if (due.length === 0) {
      await endFinishedChecks(ctx);
      return result(approved, false);
    }
    for (const [affiliateId, batch] of Map.groupBy(due, (row) => row.affiliateId)) {
      if (performance.now() > endsAt) return result(approved, true);
      const ids = batch.map((row) => row.id);
      const count = await approveOrLog(ctx, affiliateId, ids);
      if (count === null) failed.push(affiliateId);
      else approved += count;
    }
  }
  return result(approved, true);
};
