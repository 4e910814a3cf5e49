import type { FlagAction, FlagNext, FlagReason, FlagStateName } from '../contracts/situations/flag.ts';
import type { SituationTexts } from './catalogue.ts';

export const flagButtons: Readonly<Record<FlagAction, string>> = { resolve: 'Resolve' };
const { resolve } = flagButtons;

export const flagForFinance: SituationTexts<FlagStateName, FlagReason, FlagNext> = {
  states: {
    to_decide: { label: 'Needs a decision', text: 'The related commissions are on hold until then.' },
    reviewed: { label: 'Reviewed', text: 'Nothing was found. The hold ended.' },
    dismissed: { label: 'Dismissed', text: 'It was not justified. The hold ended.' },
    confirmed: { label: 'Confirmed', text: 'It was justified. The related commissions are rejected.' },
  },
  reasons: {
    overdue: 'its deadline passed, and it stays open as the settings say',
    deadline: 'nobody decided in time, so the deadline did as the settings say',
    rejecting: 'its commissions are being rejected, those in a payout once it ends',
  },
  next: {
    decide: `Review the evidence, then choose “${resolve}”: confirm it to reject the commissions on hold, or dismiss it to end the hold.`,
  },
};
