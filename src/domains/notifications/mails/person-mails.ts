import type { Role } from '../../../contracts/people.ts';
import { type MailContent, plain } from '../mail-content.ts';
import { formatTime } from './format.ts';

export const personInviteMail = (of: { companyName: string; role: Role; url: string; expiresAt: Date }): MailContent => {
  const company = plain(of.companyName);
  return {
    subject: `${company} invites you`,
    heading: `Join ${company}`,
    paragraphs: [`You are invited to work on the partner programs of ${company}.`],
    sections: [
      {
        title: null,
        facts: [
          ['Role', of.role],
          ['Valid until', formatTime(of.expiresAt)],
        ],
      },
    ],
    steps: [`Open the link, and accept: ${of.url}`],
    footer: 'If you do not expect this, ignore this email: nothing happens without the link.',
  };
};

export const signInMail = (of: { url: string; code: string; expiresAt: Date }): MailContent => ({
  subject: 'Your link to sign in',
  heading: 'Sign in',
  paragraphs: ['The link and the code work once, for 15 minutes.'],
  sections: [
    {
      title: null,
      facts: [
        ['Code', `${of.code.slice(0, 3)} ${of.code.slice(3)}`],
        ['Valid until', formatTime(of.expiresAt)],
      ],
    },
  ],
  steps: [`Open the link: ${of.url}`, 'Or enter the code where you asked for it.'],
  footer: 'Somebody asked for this with your address. If it was not you, ignore this email, and give the code to nobody.',
});
