import { applicationForAffiliate } from '../../../texts/application.affiliate.en.ts';
import { applicationForMerchant } from '../../../texts/application.merchant.en.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { decidedByDevelopers } from './no-page.ts';

export interface ApplicationMail {
  applicationId: string;
  status: 'pending' | 'approved' | 'declined' | 'withdrawn' | 'blocked';
  applicantName: string | null;
  programName: string;
  companyName: string;
  dueAt: Date;
  /** Declined because nobody decided in time. */
  isExpired: boolean;
}

export const MERCHANT_FOOTER = "You receive this because something needs your decision. It can't be turned off.";

const day = (time: Date): string => `${time.toISOString().slice(0, 10)} (UTC)`;

const waiting = (application: ApplicationMail, subject: string): MailContent => ({
  subject,
  heading: subject,
  paragraphs: [`${applicationForMerchant.states.to_decide.text} Without one, it is declined on ${day(application.dueAt)}.`],
  sections: [
    {
      title: null,
      facts: [
        ['Applicant', application.applicantName === null ? 'No name given' : plain(application.applicantName)],
        ['Program', plain(application.programName)],
      ],
    },
  ],
  steps: [decidedByDevelopers('Applications', 'affiliates')],
  footer: MERCHANT_FOOTER,
});

export const applicationWaitingMail = (application: ApplicationMail): MailContent =>
  waiting(application, `New application to ${plain(application.programName)}`);

export const applicationReminderMail = (application: ApplicationMail): MailContent =>
  waiting(application, `Reminder: application to ${plain(application.programName)}`);

/** What the applicant has to know about each decision, beside its text in the catalogue. */
const DECISIONS = {
  approved: ['You were accepted', 'Your referral code and your first link are ready.'],
  declined: ['Your application was declined', 'You can apply again after 30 days.'],
  blocked: ['Your application was declined', applicationForAffiliate.states.blocked.text],
} as const;

/** For the applicant, who does not see the merchant's note. Null for a status that is no decision. */
export const applicationDecidedMail = (application: ApplicationMail): MailContent | null => {
  const { status, isExpired, programName, companyName } = application;
  if (status === 'pending' || status === 'withdrawn') return null;
  const [title, next] = DECISIONS[status];
  const heading = `${title}: ${plain(programName)}`;
  return {
    subject: heading,
    heading,
    paragraphs: [isExpired ? applicationForAffiliate.states.expired.text : next],
    sections: [
      {
        title: null,
        facts: [
          ['Program', plain(programName)],
          ['Company', plain(companyName)],
        ],
      },
    ],
    steps:
      status === 'approved'
        ? [
            { text: 'View your referral code and links', page: '/portal/links' },
            { text: 'Enter your payout details', page: '/portal/details' },
          ]
        : [],
    footer: `You receive this because you applied to ${plain(programName)}.`,
  };
};
