import type { RunNext, RunReason, RunStateName } from '../contracts/situations/payout-run.ts';
import { accountButtons } from './about-rails.merchant.en.ts';
import type { SituationTexts } from './catalogue.ts';
import { runButtons } from './payout-run.finance.en.ts';

const { confirm, approve, reject, resume, cancel, process, complete } = runButtons;

export const runForMerchant: SituationTexts<RunStateName, RunReason, RunNext> = {
  states: {
    draft: { label: 'Draft', text: 'Nothing is sent yet.' },
    to_approve: {
      label: 'Awaiting approval',
      text: "Nothing is sent until someone who didn't draft, edit or confirm it approves it.",
    },
    running: { label: 'Running', text: 'Payouts are created and carried out.' },
    paused: { label: 'Paused', text: 'No new payouts are created or started.' },
    completed: { label: 'Completed', text: 'All of its payouts are final.' },
    cancelled: { label: 'Cancelled', text: 'No further payouts are created.' },
  },
  reasons: {
    payouts_stuck: "some of its payouts can't be created because of an error on our side",
    payouts_to_decide: 'some of its payouts need a decision',
    account_failing: 'an account that it pays from is refused by the payment provider',
    payouts_to_pay: 'you pay some of its payouts yourself',
    person: 'someone cancelled it',
    draft_expired: 'nobody confirmed it in time',
    approval_refused: 'it was not approved',
    approval_expired: 'nobody approved it in time',
  },
  next: {
    confirm: `Review who gets paid, then choose “${confirm}”. If nobody should be paid, choose “${cancel}”.`,
    approve: `Review who gets paid, then choose “${approve}” or “${reject}”. Whoever drafted, edited or confirmed it can't approve it.`,
    resume: `Choose “${resume}” to continue, or “${cancel}” to end it.`,
    read_log: 'Ask whoever runs the server to read its log.',
    decide_payouts: 'Open each payout that needs a decision.',
    check_account: `Open the payout account to see what the payment provider said, and fix it there. Then choose “${accountButtons.check}”.`,
    pay_manually: `Choose “${process}”, get the payment file, pay, then choose “${complete}”.`,
  },
};
