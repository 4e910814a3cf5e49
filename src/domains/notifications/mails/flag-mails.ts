import type { FlagDeadlineAction, FlagType } from '../../../contracts/flags.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime } from './format.ts';
import { decidedByDevelopers } from './no-page.ts';

/** Commissions of one flag that are counted; of more, only that there are more is said. */
export const MAX_COUNTED_HELD = 10_000;

export interface FlagMail {
  flagId: string;
  affiliateId: string;
  type: FlagType;
  /** Null for a person whose data was erased. */
  affiliateName: string | null;
  affiliateCode: string;
  programName: string;
  /** That it holds, counted up to one more than `MAX_COUNTED_HELD`. */
  conversions: number;
  /** Minor units, of those that were counted. */
  heldAmount: number;
  currency: string;
  dueAt: Date;
  /** What the merchant chose for the deadline. */
  atDeadline: FlagDeadlineAction;
  /** What was done at the deadline. */
  deadlineAction: FlagDeadlineAction | null;
}

const TYPES: Readonly<Record<FlagType, string>> = {
  suspicious_activity: 'Suspicious activity',
  self_referral: 'Possible self-referral',
  high_click_frequency: 'Unusually many clicks',
  conversion_anomaly: 'Unusually many sales',
  manual_review: 'Manual review',
};

const heldText = ({ conversions, heldAmount, currency }: FlagMail): string =>
  conversions > MAX_COUNTED_HELD
    ? `more than ${formatCount(MAX_COUNTED_HELD)}`
    : `${formatCount(conversions)} (${formatAmount(heldAmount, currency)})`;

const heldFacts = (flag: FlagMail): [string, string][] => [
  ['Commissions held', heldText(flag)],
  [flag.deadlineAction === null ? 'Decide until' : 'The deadline was', formatTime(flag.dueAt)],
];

const AT_DEADLINE: Readonly<Record<FlagDeadlineAction, string>> = {
  keep_open: 'The commissions will not be paid until someone decides.',
  confirm:
    'The commissions will not be paid until someone decides. If nobody decides by the deadline, they are rejected, according to your settings.',
  dismiss:
    'The commissions will not be paid until someone decides. If nobody decides by the deadline, the flag is dismissed and they can be paid, according to your settings.',
};

const effectOf = ({ conversions, atDeadline, deadlineAction }: FlagMail): string =>
  conversions === 0 ? 'It holds no commissions at the moment.' : AT_DEADLINE[deadlineAction ?? atDeadline];

/** People know each other by name; the code tells two of one name apart. */
const whoOf = ({ affiliateName, affiliateCode }: FlagMail): string =>
  affiliateName === null ? plain(affiliateCode) : `${plain(affiliateName)} (${plain(affiliateCode)})`;

const mailOf = (flag: FlagMail, subject: string, paragraph: string, isOpen = true): MailContent => {
  return {
    subject,
    heading: subject,
    paragraphs: [paragraph],
    sections: [
      {
        title: null,
        facts: [
          ['Reason', TYPES[flag.type]],
          ['Affiliate', whoOf(flag)],
          ['Program', plain(flag.programName)],
          ...(isOpen ? heldFacts(flag) : []),
        ],
      },
    ],
    steps: isOpen ? [decidedByDevelopers('Flags', 'flags')] : [],
    footer: isOpen ? MERCHANT_FOOTER : 'You receive this because it is about money of your program. It cannot be switched off.',
  };
};

export const flagOpenedMail = (flag: FlagMail): MailContent => {
  const type = TYPES[flag.type].toLowerCase();
  const who = whoOf(flag);
  return mailOf(
    flag,
    flag.conversions === 0 ? `Flag about ${who}: ${type}` : `Commissions of ${who} are held: ${type}`,
    effectOf(flag),
  );
};

export const flagReminderMail = (flag: FlagMail): MailContent => {
  const who = whoOf(flag);
  return mailOf(
    flag,
    `Still waiting: ${flag.conversions === 0 ? `a flag about ${who}` : `commissions of ${who} are held`}`,
    `Nobody has decided on this flag yet. ${effectOf(flag)}`,
  );
};

const DEADLINES = {
  keep_open: 'Nobody decided by the deadline. According to your settings, the flag stays open, and what it holds stays held.',
  confirm: 'Nobody decided by the deadline. According to your settings, the flag was confirmed, and what it held is rejected.',
  dismiss: 'Nobody decided by the deadline. According to your settings, the flag was dismissed and no longer holds anything.',
} as const;

export const flagDeadlineMail = (flag: FlagMail): MailContent => {
  const action = flag.deadlineAction ?? 'keep_open';
  return mailOf(flag, `Deadline passed: flag about ${whoOf(flag)}`, DEADLINES[action], action === 'keep_open');
};
