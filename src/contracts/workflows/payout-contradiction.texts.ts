import { laterChangesOf } from './failure-advice.ts';
import { payeeOf, untilText } from './payout.texts.ts';
import { historyOf, recordsOf, resolutionOf } from './payout-page.texts.ts';
import {
  decideByOf,
  type PayoutLifecycleInput,
  type PayoutSnapshot,
  type PayoutWorkflowInput,
  PENDING_VIEW_STATES,
  payoutWorkflowId,
} from './payouts.ts';
import { listOf, sectionsOf, type Wait, waitText, workflowLink } from './text.ts';

const PENDING = PENDING_VIEW_STATES.map((state) => `"${state}"`).join(', ');

/** The money is payable again: a newer payout may include it. */
const newerPayoutsOf = ({ affiliateId }: PayoutWorkflowInput): string =>
  `cancel payouts with the same commissions that are still pending, or both are paid. They are in the list with the filter \`WorkflowType = "payoutLifecycle" AND AffiliateId = "${affiliateId}" AND State IN (${PENDING}) AND ExecutionStatus = "Running"\`.`;

const contradictionSteps = (input: PayoutLifecycleInput, snapshot: PayoutSnapshot): string => {
  const before = snapshot.status === 'failed' ? ` Before you resolve it as paid: ${newerPayoutsOf(input)}` : '';
  const call = `POST /payouts/${input.payoutId}/resolve with \`{"outcome": "paid", "note": "…"}\` or with the outcome \`"not_paid"\``;
  return `**What to do${untilText(decideByOf(input, snapshot))}**: Ask the provider whether the money arrived, then ${call}.${before}`;
};

/** Markdown. */
export const describeContradiction = (input: PayoutLifecycleInput, snapshot: PayoutSnapshot, wait: Wait | null): string => {
  const { page, status } = snapshot;
  return sectionsOf(
    `⚠ **Contradiction**: ${payeeOf(input)} · the provider reported it both paid and failed, and it is recorded as ${status}`,
    contradictionSteps(input, snapshot),
    recordsOf(input, snapshot, 'contradiction'),
    listOf([
      ['Effect', 'the affiliate gets no other payout until this is resolved'],
      ['Waiting for', wait && waitText(wait)],
      ['Payout', workflowLink(payoutWorkflowId(input.payoutId), input.links)],
    ]),
    page ? historyOf(page) : null,
  );
};

/** Markdown. */
export const describeResolved = (input: PayoutWorkflowInput, { status, page }: PayoutSnapshot): string => {
  const resolution = page?.contradiction ? resolutionOf(page.contradiction) : null;
  return sectionsOf(
    `✓ **Resolved**: ${payeeOf(input)} · the payout is ${status}`,
    `Later changes: ${laterChangesOf(input)}`,
    resolution === null ? null : `- Resolved: ${resolution}`,
    page ? historyOf(page) : null,
  );
};
