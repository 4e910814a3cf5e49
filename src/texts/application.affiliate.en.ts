import type { ApplicationNext, ApplicationReason, ApplicationStateName } from '../contracts/situations/application.ts';
import type { AffiliateTexts } from './catalogue.ts';

export const applicationForAffiliate: AffiliateTexts<ApplicationStateName, ApplicationReason, ApplicationNext> = {
  states: {
    to_decide: { label: 'Under review', text: 'The company decides within 30 days.' },
    approved: { label: 'Accepted', text: 'You are an affiliate of the program.' },
    declined: { label: 'Declined', text: "The company didn't accept your application." },
    expired: { label: 'Declined', text: "The company didn't decide in time. You may apply again." },
    withdrawn: { label: 'Withdrawn', text: 'You withdrew your application.' },
    blocked: { label: 'Blocked', text: "You can't apply to this program again." },
  },
  reasons: { program_archived: "The program isn't accepting new affiliates right now." },
  next: { decide: null, decline: null, add_affiliate: null },
};
