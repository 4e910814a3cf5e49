import { type PayoutContradictionInput, type PayoutSnapshot, WORKFLOW_IDS } from '../../src/contracts/workflows.ts';
import { payeeOf } from './payout-details.ts';
import { workflowLink } from './workflow-link.ts';

/** The money is payable again: a newer payout may include it. */
const newerPayoutsOf = ({ affiliateId }: PayoutContradictionInput): string =>
  `- **Before you resolve it as paid**: cancel payouts with the same commissions that are still pending, or both are paid. They are in the list with the filter \`WorkflowType = "payoutLifecycle" AND AffiliateId = "${affiliateId}" AND State = "pending" AND ExecutionStatus = "Running"\`.`;

/** Markdown. */
export const describeContradiction = (input: PayoutContradictionInput, { status }: PayoutSnapshot): string =>
  [
    `⚠ **Contradiction**: ${payeeOf(input)} · the provider reported it both paid and failed, and it is recorded as ${status}`,
    [
      `- Payout: ${workflowLink(WORKFLOW_IDS.payout(input.payoutId), input.links)}`,
      '- Effect: the affiliate gets no other payout until this is resolved',
      ...(status === 'failed' ? [newerPayoutsOf(input)] : []),
      `- **What to do**: Ask the provider whether the money arrived, then POST /payouts/${input.payoutId}/resolve with \`{"outcome": "paid", "note": "…"}\` or with the outcome \`"not_paid"\`.`,
    ].join('\n'),
  ].join('\n\n');
