import type { FlagNext, FlagReason, FlagStateName } from '../contracts/situations/flag.ts';
import type { SituationTexts } from './catalogue.ts';
import { flagButtons } from './flag.finance.en.ts';

export const flagForMerchant: SituationTexts<FlagStateName, FlagReason, FlagNext> = {
  states: {
    to_decide: { label: 'Needs a decision', text: 'We put the related commissions on hold until you decide.' },
    reviewed: { label: 'Reviewed', text: 'You found nothing. The hold ended.' },
    dismissed: { label: 'Dismissed', text: "It wasn't justified. The hold ended." },
    confirmed: { label: 'Confirmed', text: 'It was justified. The related commissions are rejected.' },
  },
  reasons: {
    overdue: 'its deadline passed, and it stays open as your settings say',
    deadline: 'nobody decided in time, so the deadline did as your settings say',
    rejecting: 'we are rejecting its commissions, those in a payout once it ends',
  },
  next: {
    decide: `Review the evidence, then choose “${flagButtons.resolve}”: confirm it to reject the commissions on hold, or dismiss it to end the hold.`,
  },
};
