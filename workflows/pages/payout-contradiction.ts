import { PAYOUT_STATES } from '../../src/contracts/situations/payout.ts';
import { CONSOLE_PAGES, consoleLink } from '../../src/contracts/workflows/console-links.ts';
import { withFormerNames } from '../../src/contracts/workflows/former-states.ts';
import {
  decideByOf,
  type PayoutLifecycleInput,
  type PayoutSnapshot,
  type PayoutWorkflowInput,
  payoutWorkflowId,
} from '../../src/contracts/workflows/payouts.ts';
import { listOf, sectionsOf, type Wait, waitText, workflowLink } from '../../src/contracts/workflows/text.ts';
import { payoutForFinance as texts } from '../../src/texts/payout.finance.en.ts';
import { laterChangesOf } from './later-changes.ts';
import { forDevelopers, toDoText } from './parts.ts';
import { payeeOf, titleOf } from './payout.ts';
import { historyOf, recordsOf, resolutionOf } from './payout-parts.ts';

/** Nothing was sent or begun: it can still be cancelled. */
const CAN_BE_CANCELLED = PAYOUT_STATES.filter((state) =>
  ['to_approve', 'queued', 'to_pay', 'to_put_into_file', 'on_hold', 'to_decide'].includes(state),
);
const PENDING = withFormerNames(CAN_BE_CANCELLED)
  .map((state) => `"${state}"`)
  .join(', ');

/** The money is payable again: a newer payout may include it. */
const newerPayoutsOf = ({ affiliateId }: PayoutWorkflowInput): string =>
  `cancel payouts with the same commissions that are still pending, or both are paid. They are in the list with the filter \`WorkflowType = "payoutLifecycle" AND AffiliateId = "${affiliateId}" AND State IN (${PENDING}) AND ExecutionStatus = "Running"\`.`;

const stepsOf = (input: PayoutLifecycleInput, snapshot: PayoutSnapshot): string => {
  const before = snapshot.status === 'failed' ? ` Before you resolve it as paid: ${newerPayoutsOf(input)}` : '';
  const until = decideByOf(input, snapshot)?.toISOString() ?? null;
  return toDoText({ until }, texts.next.resolve + before);
};

/** Markdown. */
export const describeContradiction = (input: PayoutLifecycleInput, snapshot: PayoutSnapshot, wait: Wait | null): string => {
  const { page, status } = snapshot;
  const { payoutId, links } = input;
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.payout(payoutId)),
    `${titleOf('contradiction')}: ${payeeOf(input)} · the provider reported it both paid and failed, and it is recorded as ${status}`,
    stepsOf(input, snapshot),
    recordsOf(input, snapshot, 'contradiction'),
    listOf([
      ['Effect', 'the affiliate gets no other payout until this is resolved'],
      ['Waiting for', wait && waitText(wait)],
      ['Payout', workflowLink(payoutWorkflowId(payoutId), links)],
    ]),
    page ? historyOf(page) : null,
    forDevelopers(links, `/payouts/${payoutId}`, { actions: ['resolve'] }),
  );
};

/** Markdown. */
export const describeResolved = (input: PayoutWorkflowInput, { status, page }: PayoutSnapshot): string => {
  const resolution = page?.contradiction ? resolutionOf(page.contradiction) : null;
  const { payoutId, links } = input;
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.payout(payoutId)),
    `✓ **Resolved**: ${payeeOf(input)} · the payout is ${status}`,
    `Later changes: ${laterChangesOf(input)}`,
    resolution === null ? null : `- Resolved: ${resolution}`,
    page ? historyOf(page) : null,
    forDevelopers(links, `/payouts/${payoutId}`),
  );
};
