import type {
  ApplicationAction,
  ApplicationNext,
  ApplicationReason,
  ApplicationStateName,
} from '../contracts/situations/application.ts';
import type { SituationTexts } from './catalogue.ts';

export const applicationButtons: Readonly<Record<ApplicationAction, string>> = {
  approve: 'Approve',
  decline: 'Decline',
  block: 'Block',
};
const { approve, decline, block } = applicationButtons;

export const applicationForFinance: SituationTexts<ApplicationStateName, ApplicationReason, ApplicationNext> = {
  states: {
    to_decide: { label: 'Needs a decision', text: 'The applicant waits for the company.' },
    approved: { label: 'Approved', text: 'The applicant is an affiliate of the program.' },
    declined: { label: 'Declined', text: 'The person may apply again later.' },
    expired: { label: 'Expired', text: 'It was declined because nobody decided in time. The person may apply again.' },
    withdrawn: { label: 'Withdrawn', text: 'The applicant withdrew it, or their data was erased.' },
    blocked: { label: 'Blocked', text: "The person can't apply to this program again." },
  },
  reasons: {
    program_archived: 'the program is archived and takes no affiliates',
  },
  next: {
    decide: `Review the application, then choose “${approve}”, “${decline}” or “${block}”.`,
    decline: `Choose “${decline}” or “${block}”. To approve it anyway, make the program active first.`,
    add_affiliate: 'To let the person in anyway, add them as an affiliate.',
  },
};
