import { type MailContent, plain } from '../mail-content.rules.ts';
import { formatTime } from './format.ts';

export interface InviteMail {
  programName: string;
  companyName: string;
  /** Page of the invite. */
  url: string;
  expiresAt: Date;
}

/** Holds only our text: a merchant chooses the recipients and the two names in it. */
export const programInviteMail = (
  { programName, companyName, url, expiresAt }: InviteMail,
  isReminder: boolean,
): MailContent => ({
  subject: `${isReminder ? 'Reminder: ' : ''}${plain(companyName)} invites you to ${plain(programName)}`,
  heading: isReminder ? 'Your invite is still open' : 'You are invited',
  paragraphs: [
    `${plain(companyName)} invites you to its referral program ${plain(programName)}: you recommend it, and earn a commission on what your visitors buy.`,
  ],
  sections: [
    {
      title: null,
      facts: [
        ['Program', plain(programName)],
        ['Company', plain(companyName)],
        ['Open until', formatTime(expiresAt)],
      ],
    },
  ],
  steps: [`See the terms and join: ${url}`],
  footer:
    "You receive this because the company entered your address. There is at most one reminder. If you don't know the company, ignore this email.",
});
