import type { Page } from './temporal-pages.ts';

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/.source;
const LATER = /its page in the console, and \[its later workflows\]\(http/;
const NEWER = /\. A retry, or a run that paid it, is among \[the newer payouts of this affiliate\]\(http/;
const CREATED = /: Payout created, by /;
const NOBODY = /\*\*Nobody has to do anything\.\*\*/;
const toDoUntil = (what: string) => new RegExp(`What to do until ${TIME}\\*\\*: ${what}`);

/** Who is paid how much, its state, what happens next and when, who does what, why, and what happened before. */
export interface PageAnswers {
  name: string;
  /** Default: 20.00 USD to the affiliate. */
  who?: (page: Page) => string;
  state: RegExp;
  next: RegExp;
  toDo: RegExp;
  why: RegExp;
  before: RegExp;
}

export const PAGE_ANSWERS: readonly PageAnswers[] = [
  {
    name: 'awaiting-approval',
    who: ({ code }) => `100.00 USD to ${code}`,
    state: /\*\*Awaiting approval\*\*/,
    next: new RegExp(`a second actor to approve; reminder 1 at ${TIME}; it fails if nobody approves it in time`),
    toDo: toDoUntil('Check the amount and the payee, then choose “Approve” or “Reject”'),
    why: /Nothing is sent until a second person approves it/,
    before: CREATED,
  },
  {
    name: 'pending',
    state: /\*\*Queued\*\*/,
    next: /Waiting for: its first attempt, which begins at once while workers run/,
    toDo: NOBODY,
    why: /Attempts: none yet/,
    before: new RegExp(`Created: ${TIME}`),
  },
  {
    name: 'processing',
    state: /\*\*Sending\*\*/,
    next: new RegExp(`look-up \\d+ at ${TIME}; a person decides after 24 h`),
    toDo: NOBODY,
    why: /outcome unknown/,
    before: /Attempt 1 sent: outcome unknown/,
  },
  {
    name: 'awaiting-finance',
    state: /\*\*To pay\*\*/,
    next: new RegExp(`reminder 1 at ${TIME}`),
    toDo: toDoUntil('Choose “Mark as in progress”'),
    why: new RegExp(`Cancellation requested in Temporal\\*\\* by \\*\\*.+\\*\\* at ${TIME}: it has no effect. .*“Cancel payout”`),
    before: CREATED,
  },
  {
    name: 'overdue',
    state: /⚠ \*\*To pay\*\*/,
    next: /Waiting for: finance to pay and mark as paid; nothing happens by itself/,
    toDo: toDoUntil('Choose “Mark as in progress”, pay'),
    why: /still unpaid after the last reminder/,
    before: /Reminder 2: waiting to be paid/,
  },
  {
    name: 'on-hold',
    state: /\*\*On hold\*\*/,
    next: /a contradiction of another payout to be resolved; nobody is reminded until then/,
    toDo: /Resolve the other payout to this affiliate first\. It is 20\.00 USD, recorded as failed, reported as paid: \[/,
    why: /another payout to this affiliate was reported both paid and failed/,
    before: CREATED,
  },
  {
    name: 'review',
    state: /⚠ \*\*Needs a decision\*\*/,
    next: new RegExp(`look-up \\d+ at ${TIME}`),
    toDo: toDoUntil('Look it up at the provider.*“Mark as paid”.*“Mark as failed”'),
    why: /has no such order/,
    before: /Manual review required: the provider has no record/,
  },
  {
    name: 'contradiction',
    state: /⚠ \*\*Contradiction\*\*/,
    next: new RegExp(`look 1 at ${TIME}`),
    toDo: toDoUntil('Ask the provider'),
    why: /\| State \| .?failed, transfer failed \| .?\*\*≠ paid\*\* \|/,
    before: /which contradicts the record/,
  },
  {
    name: 'paid',
    state: /✓ \*\*Paid\*\*/,
    next: new RegExp(`\\*\\*Ended\\*\\* ${TIME}`),
    toDo: LATER,
    why: /Paid by the provider/,
    before: /Attempt 1 sent/,
  },
  {
    name: 'failed',
    state: /✗ \*\*Failed\*\*/,
    next: new RegExp(`\\*\\*Ended\\*\\* ${TIME}. Before anything is paid again, read ${LATER.source}\\S+${NEWER.source}`),
    toDo: /Ask the affiliate for new payout details/,
    why: /provider's reason `account_closed`/,
    before: /Attempt 1 sent: failed \\\(account\\_closed\\\)/,
  },
  {
    name: 'cancelled',
    state: /✗ \*\*Cancelled\*\*/,
    next: new RegExp(`\\*\\*Ended\\*\\* ${TIME}`),
    toDo: LATER,
    why: /its money became payable again/,
    before: /: Cancelled, by /,
  },
  {
    name: 'returned',
    state: /✗ \*\*Not paid after all\*\*/,
    next: new RegExp(`Booked: ${TIME}`),
    toDo: new RegExp(`Before anything is paid again, read ${LATER.source}\\S+${NEWER.source}`),
    why: /Why: the provider returned the payment/,
    before: new RegExp(`Payout created: ${TIME}\\n- Was: completed\\n- Is: failed`),
  },
  {
    name: 'superseded',
    state: /\*\*Superseded\*\*/,
    next: /another run shows this payout/,
    toDo: /\*\*Nobody has to do anything here\.\*\* .*on the page of the payout/,
    why: /this one is a copy, or was reset, and counts nothing/,
    before: /GET \/payouts\/\S+\/timeline/,
  },
  {
    name: 'unconfirmed-return',
    state: /⚠ \*\*Return not confirmed\*\*/,
    next: new RegExp(`Provider is asked again: ${TIME}`),
    toDo: toDoUntil('Ask the provider\\. If the money came back, choose “Record the return”\\. If it did not, choose “Resolve”'),
    why: /Why: a person reported that the money came back/,
    before: /Was: completed\n- Is: completed\n- Said by: an API key/,
  },
  {
    name: 'run-draft',
    who: () => '120.00 USD to 6 affiliates',
    state: /\*\*Draft\*\*: 120\.00 USD to 6 affiliates/,
    next: new RegExp(`deadline at ${TIME}`),
    toDo: toDoUntil('Review who gets paid, then choose “Confirm”'),
    why: /a person to confirm it/,
    before: /Drafted by: .+/,
  },
  {
    name: 'run-running',
    who: () => '100.00 USD to 5 affiliates',
    state: /\*\*Running\*\*.*\n(?:.*\n)*.*3 of 5 are final \(60 %\), 2 in progress/,
    next: new RegExp(`look \\d+ at ${TIME}`),
    toDo: NOBODY,
    why: /AFFILIATE_BLOCKED.*the affiliate is blocked/,
    before: new RegExp(`Confirmed by: .+, ${TIME}`),
  },
  {
    name: 'run-completed',
    who: () => 'paid 80.00 USD of 100.00 USD to 4 of 5 affiliates',
    state: /✓ \*\*Completed with exceptions\*\*/,
    next: new RegExp(`Ended: ${TIME}`),
    toDo: /What changed since is on its page in the console/,
    why: /(?:rail_rejected|account_refused|invalid_details).*payouts that failed: the money is payable again/,
    before: new RegExp(`Confirmed by: .+, ${TIME}`),
  },
  {
    name: 'flag',
    who: ({ code }) => code,
    state: /\*\*Needs a decision\*\*/,
    next: new RegExp(`Deadline: ${TIME}, then it`),
    toDo: toDoUntil('Review the evidence'),
    why: /self-referral/,
    before: new RegExp(`Opened: ${TIME}`),
  },
  {
    name: 'application',
    who: ({ code }) => `affiliate \`${code}\``,
    state: /\*\*Needs a decision\*\*/,
    next: new RegExp(`If nobody decides: declined at ${TIME}`),
    toDo: toDoUntil('Review the application, then choose “Approve”'),
    why: /application to/,
    before: new RegExp(`applied by api at ${TIME}`),
  },
  {
    name: 'delivery',
    who: ({ code }) => `endpoint ${code}`,
    state: /\*\*✗ Given up/,
    next: /What happened since: GET/,
    toDo: /\*\*Nobody has to do anything\.\*\* To send it again once the receiver works: POST \S+\/resend/,
    why: /status 500, http\\_5xx/,
    before: new RegExp(`- ${TIME}: status 500`),
  },
];
