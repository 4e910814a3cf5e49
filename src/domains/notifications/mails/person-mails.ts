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
    footer: 'If you do not expect this, ignore this email: nothing happens without the link.',
  };
};

export const newApproverMail = (of: { name: string; email: string; role: Role; approvesFrom: Date }): MailContent => ({
  subject: 'Somebody new may approve payouts',
  heading: 'Somebody new may approve payouts',
  paragraphs: ['Until then, they approve nothing, unless somebody else who may approve confirms them.'],
  sections: [
    {
      title: null,
      facts: [
        ['Name', plain(of.name)],
        ['Email address', plain(of.email)],
        ['Role', of.role],
        ['May approve from', formatTime(of.approvesFrom)],
      ],
    },
  ],
  steps: [
    { text: 'Confirm them', page: '/console/settings' },
    { text: 'Remove them', page: '/console/settings/people' },
  ],
  footer: 'If you do not know this person, remove them, and ask whoever invited them.',
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
  footer: 'Somebody asked for this with your address. If it was not you, ignore this email, and give the code to nobody.',
});

const withWhat = ({ code }: LinkAndCode): string => (code === null ? 'With the link' : 'With the link or the code');
const itWorks = ({ code }: LinkAndCode): string => `${code === null ? 'It works' : 'Both work'} once, for 15 minutes.`;

export const signInMail = (of: LinkAndCode): MailContent => ({
  subject: 'Your link to sign in',
  heading: 'Sign in',
  paragraphs: [of.code === null ? 'The link works once, for 15 minutes.' : 'The link and the code work once, for 15 minutes.'],
  ...linkAndCode(of),
});

/** Of our text, and the names of program and company: nothing that whoever asked has entered. */
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

/** Nothing that whoever asked has entered, as above. */
export const signUpMail = (of: LinkAndCode): MailContent => ({
  subject: 'Your link to sign up',
  heading: 'Open an account for your company',
  paragraphs: [`${withWhat(of)} you open the account that was asked for. ${itWorks(of)}`],
  ...linkAndCode(of),
});

/** Whoever has a passkey can sign in and approve: the person learns of each one that comes or goes. */
export const passkeyMail = (of: { name: string; change: 'added' | 'removed'; at: Date }): MailContent => ({
  subject: `A passkey was ${of.change}`,
  heading: `A passkey was ${of.change}`,
  paragraphs: [
    of.change === 'added'
      ? 'Whoever has the device with this passkey can sign in as you.'
      : 'This passkey no longer signs you in, and confirms nothing any more.',
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
  steps: [
    'If you did not do this: sign in with a mailed link, remove passkeys that you do not know, and end your other sessions.',
  ],
  footer: 'You receive this because the passkey is one of your account. It cannot be switched off.',
});

/** Whoever reads it while they have their passkey stops it: nobody else can. */
export const replacementMail = (of: { companyName: string | null; url: string; dueAt: Date }): MailContent => ({
  subject: 'Your passkeys will be removed',
  heading: 'Your passkeys will be removed',
  paragraphs: [
    `${of.companyName === null ? 'The operator of this server' : `An owner of ${plain(of.companyName)}`} says that you lost your passkey. After the time below, your passkeys no longer count and you are signed out everywhere. Then you add a new one with a mailed code.`,
  ],
  sections: [{ title: null, facts: [['Removed at', formatTime(of.dueAt)]] }],
  steps: [
    `If you still have your passkey, keep it: ${of.url}`,
    'Signing in with it keeps it too. If you lost it, you need not do anything until then.',
  ],
  footer: 'You receive this because it concerns the security of your account. It cannot be switched off.',
});

export const replacementDoneMail = (of: { at: Date }): MailContent => ({
  subject: 'Your passkeys were removed',
  heading: 'Your passkeys were removed',
  paragraphs: ['They no longer sign you in, and confirm nothing any more. You are signed out everywhere.'],
  sections: [{ title: null, facts: [['Removed at', formatTime(of.at)]] }],
  steps: ['Sign in with a mailed link, and add a new passkey in your settings.'],
  footer: 'You receive this because it concerns the security of your account. It cannot be switched off.',
});
