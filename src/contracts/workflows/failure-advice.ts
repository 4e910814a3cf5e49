import type { PayoutSnapshot, PayoutWorkflowInput } from './payouts.ts';
import { listLink } from './text.ts';

type FailureClass = 'details' | 'funds' | 'blocked' | 'held';

/** Codes of providers and of ISO 20022, in lower case. An open set: of another one nothing is said. */
const CLASSES: Readonly<Record<FailureClass, readonly string[]>> = {
  details: [
    ...['invalid_details', 'account_closed', 'account_blocked', 'account_frozen', 'account_invalid', 'account_not_found'],
    ...['invalid_account', 'invalid_recipient', 'recipient_invalid', 'recipient_not_found', 'recipient_refused'],
    ...['receiver_unregistered', 'receiver_unconfirmed', 'ac01', 'ac03', 'ac04', 'ac06', 'ac13', 'be05', 'md07', 'rc01'],
  ],
  funds: ['insufficient_funds', 'insufficient_balance', 'am04'],
  blocked: ['affiliate_blocked'],
  held: ['items_held'],
};

const ADVICE: Readonly<Record<FailureClass, string>> = {
  details:
    'the payout details were refused, so ask the affiliate for new details first, and retry only then; the same details are paused after three refusals, until they are changed or confirmed',
  funds: "the merchant's account at the provider had too little money, so add some before a retry",
  blocked: 'the affiliate was blocked, and nothing is paid while that lasts',
  held: 'a commission was held, so resolve its flag or dispute first',
};

/** Whether a provider says with this code that the payee's details are wrong, or cannot receive money. */
export const blamesDetails = (code: string): boolean => CLASSES.details.includes(code.toLowerCase());

/** What to do first about a payout that failed for this reason, if it is still failed; null for reasons that are not known. */
export const failureAdviceOf = ({
  railReason,
  failureCode,
}: Pick<PayoutSnapshot, 'railReason' | 'failureCode'>): string | null => {
  const codes = [railReason, failureCode].map((code) => code?.toLowerCase() ?? '');
  const known = (Object.keys(CLASSES) as FailureClass[]).find((name) => codes.some((code) => CLASSES[name].includes(code)));
  return known ? ADVICE[known] : null;
};

/** A closed page cannot follow what happens later, so that it tells where to read that instead of what to do. */
export const laterChangesOf = ({ payoutId, links }: Pick<PayoutWorkflowInput, 'payoutId' | 'links'>): string => {
  const filter = `WorkflowId STARTS_WITH "payout/${payoutId}/"`;
  const [list = `the workflows with the filter \`${filter}\``] = listLink('its later workflows', links, filter);
  return `GET /payouts/${payoutId}, and ${list}`;
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
  const first = `Before anything is paid again, read ${laterChangesOf(payout)}. A retry, or a run that paid it, is among ${newerPayoutsOf(payout)}`;
  return advice === null ? first : `${first}. If it is still failed then, and no newer payout pays it: ${advice}`;
};
