import type { PayoutWorkflowInput } from '../../src/contracts/workflows/payouts.ts';
import { listLink } from '../../src/contracts/workflows/text.ts';

/** A closed page cannot follow what happens later, so that it tells where to read that instead of what to do. */
export const laterChangesOf = ({ payoutId, links }: Pick<PayoutWorkflowInput, 'payoutId' | 'links'>): string => {
  const filter = `WorkflowId STARTS_WITH "payout/${payoutId}/"`;
  const [list = `the workflows with the filter \`${filter}\``] = listLink('its later workflows', links, filter);
  return `its page in the console, and ${list}`;
};

/** A retry, and a run that took the money that became payable again, are payouts of their own. */
const newerPayoutsOf = ({ payoutId, affiliateId, createdAt, links }: PayoutWorkflowInput): string => {
  const others = `AffiliateId = "${affiliateId}" AND StartTime > "${createdAt}" AND WorkflowId != "payout/${payoutId}"`;
  const filter = `WorkflowType = "payoutLifecycle" AND ${others}`;
  const [list = `the workflows with the filter \`${filter}\``] = listLink('the newer payouts of this affiliate', links, filter);
  return list;
};

/** What a person reads first about a payout that failed. */
export const beforePayingAgain = (payout: PayoutWorkflowInput, advice: string | null): string => {
  const first = `Before anything is paid again, read ${laterChangesOf(payout)}. A retry, or a run that paid it, is among ${newerPayoutsOf(payout)}.`;
  return advice === null ? first : `${first} If it is still failed then, and no newer payout pays it: ${advice}`;
};
