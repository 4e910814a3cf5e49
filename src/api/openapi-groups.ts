import { type Guide, readOpening } from './guides.ts';

/** Tags under the headings of the API reference, in its order. */
export const TAG_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Operations: sales': ['Sale events', 'Tracking', 'Conversions', 'Coupons'],
  'Operations: programs': ['Programs', 'Invites', 'Applications', 'Affiliates', 'Flags', 'Marketing Resources'],
  'Operations: money': ['Payouts', 'Payout Runs', 'Bank Files', 'Books', 'Reconciliation', 'Billing'],
  'Operations: affiliates': ['Me', 'Marketplace'],
  'Operations: your account': ['Auth', 'Onboarding', 'Merchant', 'Notifications', 'Webhooks', 'Audit Log'],
  'Operations: the server': ['Docs', 'Meta'],
};

export const GROUPS: readonly string[] = Object.values(TAG_GROUPS).flat();

/** Groups that guides introduce. */
const GUIDES_OF: Readonly<Record<string, readonly Guide[]>> = {
  'Sale events': ['report-a-sale'],
  Auth: ['authentication'],
  Affiliates: ['affiliates', 'embed-the-portal'],
  Coupons: ['links-and-coupons'],
  Flags: ['flags'],
  Payouts: ['pay-manually', 'paypal', 'sandbox'],
  'Payout Runs': ['pay-everybody'],
  Books: ['close-a-month'],
  Reconciliation: ['reconcile'],
  Billing: ['billing'],
  'Marketing Resources': ['marketing-resources'],
  Webhooks: ['webhooks'],
};

const TAG_TEXTS: Readonly<Record<string, string>> = {
  Tracking: 'Clicks on the links of affiliates, reported by the pages of your website or by redirect links.',
  Onboarding: 'The first steps of a merchant: name the company, create a program, connect a payment system.',
  Programs: 'A program sets what affiliates earn, in which currency, and when they are paid.',
  Merchant: 'Your own profile and the defaults of new programs.',
  Affiliates:
    'An affiliate is the membership of one person in one program. Its id is the `affiliateId` of conversions and payouts.',
  Applications: 'A person applies to a program, or claims an invite. An application that waits is reviewed by the merchant.',
  Me: 'The API key of the request and its owner.',
  Marketplace: 'Programs that affiliates can find and compare, by earnings per click, conversion rate and commission.',
  Invites: 'Let people join a program with a token: one person, one email address, or whoever has it.',
  Coupons: 'Discount codes of your shop. Sales that name one are credited to its affiliate.',
  Conversions: 'A conversion is a sale that was credited to an affiliate, with its commission.',
  Flags:
    'A flag is a suspicion about an affiliate. It holds the conversions that are linked to it until somebody decides, or its deadline.',
  Payouts: 'A payout pays an affiliate the whole payable balance in one program. It is carried out by a Temporal workflow.',
  'Payout Runs':
    'A run pays many affiliates after one look: draft it, look at whom it pays and whom not, and confirm it. A Temporal workflow creates the payouts.',
  'Bank Files':
    'A bank file holds payouts that your bank executes. Import what your bank returns, so that each payout shows what became of it.',
  Reconciliation: "Your books beside the providers' own lists: comparisons, and where the two differ.",
  Books: 'The ledger of commissions and payouts as a journal, its balances at a time, and the months that are closed.',
  'Marketing Resources': 'Posts, texts, files and links with which affiliates promote a program.',
  Docs: 'This document.',
  Notifications:
    'Which emails you receive. Emails that ask for a decision, protect your payouts or report a failing webhook endpoint are always sent.',
  'Audit Log': 'What was changed in your account, by whom and from where.',
  Meta: 'Version, event types and scopes of the server.',
};

export const tagOf = (name: string) => {
  const text = [TAG_TEXTS[name], ...(GUIDES_OF[name] ?? []).map(readOpening)].filter(Boolean).join('\n\n');
  return { name, description: text };
};
