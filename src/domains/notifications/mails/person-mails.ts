import type { Role } from '../../../contracts/people.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
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
    footer: "Didn't expect this? Ignore this email. Nothing happens without the link.",
  };
};

export const newApproverMail = (of: { name: string; email: string; role: Role; approvesFrom: Date }): MailContent => ({
  subject: 'A new person can approve payouts soon',
  heading: 'A new person can approve payouts soon',
  paragraphs: ["They can't approve anything before the time below unless someone else who can approve confirms them."],
  sections: [
    {
      title: null,
      facts: [
        ['Name', plain(of.name)],
        ['Email address', plain(of.email)],
        ['Role', of.role],
        ['Can approve from', formatTime(of.approvesFrom)],
      ],
    },
  ],
  steps: [
    { text: 'Confirm them', page: '/console/settings' },
    { text: 'Remove them', page: '/console/settings/people' },
  ],
  footer: "Don't know this person? Remove them, and ask who invited them.",
});

interface LinkAndCode {
  url: string;
  /** Null: codes of this mailbox are being guessed at. */
  code: string | null;
  expiresAt: Date;
}

const linkAndCode = ({ url, code, expiresAt }: LinkAndCode): Pick<MailContent, 'sections' | 'steps' | 'footer'> => ({
  sections: [
    {
      title: null,
      facts: [
        ...(code === null ? [] : [['Code', `${code.slice(0, 3)} ${code.slice(3)}`] as [string, string]]),
        ['Valid until', formatTime(expiresAt)],
      ],
    },
  ],
  steps: [`Open the link: ${url}`, ...(code === null ? [] : ['Or enter the code where you asked for it.'])],
  footer: "If you didn't request this, ignore this email and don't share the code with anyone.",
});

const withWhat = ({ code }: LinkAndCode): string => (code === null ? 'With the link' : 'With the link or the code');
const itWorks = ({ code }: LinkAndCode): string => `${code === null ? 'It works' : 'Both work'} once, for 15 minutes.`;

export const signInMail = (of: LinkAndCode): MailContent => ({
  subject: 'Your link to sign in',
  heading: 'Sign in',
  paragraphs: [of.code === null ? 'The link works once, for 15 minutes.' : 'The link and the code work once, for 15 minutes.'],
  ...linkAndCode(of),
});

/** Holds our text and the names of program and company, and nothing that the person who asked entered. */
export const joinMail = ({
  programName,
  companyName,
  ...of
}: LinkAndCode & { programName: string; companyName: string }): MailContent => ({
  subject: 'Your link to join',
  heading: `Join ${plain(programName)}`,
  paragraphs: [`${withWhat(of)} you join ${plain(programName)}, the referral program of ${plain(companyName)}. ${itWorks(of)}`],
  ...linkAndCode(of),
});

/** Also holds nothing that the person who asked entered. */
export const signUpMail = (of: LinkAndCode): MailContent => ({
  subject: 'Your link to sign up',
  heading: 'Open an account for your company',
  paragraphs: [`${withWhat(of)} you open the account that was asked for. ${itWorks(of)}`],
  ...linkAndCode(of),
});

/** Anyone with a passkey can sign in and approve, so the person gets an email about each change. */
export const passkeyMail = (of: { name: string; change: 'added' | 'removed'; at: Date }): MailContent => ({
  subject: `A passkey was ${of.change}`,
  heading: `A passkey was ${of.change}`,
  paragraphs: [
    of.change === 'added'
      ? 'Anyone who has the device with this passkey can sign in as you.'
      : 'This passkey no longer signs you in or confirms actions.',
  ],
  sections: [
    {
      title: null,
      facts: [
        ['Passkey', plain(of.name)],
        [of.change === 'added' ? 'Added at' : 'Removed at', formatTime(of.at)],
      ],
    },
  ],
  steps: ["Didn't do this? Sign in with an emailed link, remove passkeys that you don't recognize, and end your other sessions."],
  footer: "You receive this because a passkey of your account changed. It can't be turned off.",
});

/** A person who still has the passkey can stop it. */
export const replacementMail = (of: { companyName: string | null; url: string; dueAt: Date }): MailContent => ({
  subject: 'Your passkeys will be removed',
  heading: 'Your passkeys will be removed',
  paragraphs: [
    `${of.companyName === null ? 'The operator of this server' : `An owner of ${plain(of.companyName)}`} says that you lost your passkey. After the time below, your passkeys no longer count and you are signed out everywhere. Then you add a new one with a mailed code.`,
  ],
  sections: [{ title: null, facts: [['Removed at', formatTime(of.dueAt)]] }],
  steps: [
    `If you still have your passkey, keep it: ${of.url}`,
    "Signing in with it keeps it too. If you lost it, you don't have to do anything until then.",
  ],
  footer: "You receive this because it concerns the security of your account. It can't be turned off.",
});

export const replacementDoneMail = (of: { at: Date }): MailContent => ({
  subject: 'Your passkeys were removed',
  heading: 'Your passkeys were removed',
  paragraphs: ['They no longer sign you in or confirm actions. You are signed out everywhere.'],
  sections: [{ title: null, facts: [['Removed at', formatTime(of.at)]] }],
  steps: ['Sign in with an emailed link, and add a new passkey in your settings.'],
  footer: "You receive this because it concerns the security of your account. It can't be turned off.",
});
