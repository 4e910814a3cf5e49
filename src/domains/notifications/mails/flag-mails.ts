import type { FlagDeadlineAction, FlagType } from '../../../contracts/flags.ts';
import { sentenceOf, textOf } from '../../../texts/catalogue.ts';
import { flagForMerchant } from '../../../texts/flag.merchant.en.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime } from './format.ts';
import { decidedByDevelopers } from './no-page.ts';

/** Commissions of one flag that are counted. Beyond that, the email only says that there are more. */
export const MAX_COUNTED_HELD = 10_000;

export interface FlagMail {
  flagId: string;
  affiliateId: string;
  type: FlagType;
  /** Null for a person whose data was erased. */
  affiliateName: string | null;
  affiliateCode: string;
  programName: string;
  /** Commissions on hold, counted up to one more than `MAX_COUNTED_HELD`. */
  conversions: number;
  /** Minor units of those that were counted. */
  heldAmount: number;
  currency: string;
  dueAt: Date;
  /** What the merchant chose for the deadline. */
  atDeadline: FlagDeadlineAction;
  /** What happened at the deadline; null before it. */
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
  ['Commissions on hold', heldText(flag)],
  [flag.deadlineAction === null ? 'Decide by' : 'Deadline was', formatTime(flag.dueAt)],
];

const ON_HOLD = flagForMerchant.states.to_decide.text;

const AT_DEADLINE: Readonly<Record<FlagDeadlineAction, string>> = {
  keep_open: ON_HOLD,
  confirm: `${ON_HOLD} If nobody decides by the deadline, they are rejected, as your settings say.`,
  dismiss: `${ON_HOLD} If nobody decides by the deadline, the hold ends and they can be paid, as your settings say.`,
};

const effectOf = ({ conversions, atDeadline, deadlineAction }: FlagMail): string =>
  conversions === 0 ? 'No commissions are on hold because of it right now.' : AT_DEADLINE[deadlineAction ?? atDeadline];

/** People know each other by name; the code distinguishes two with the same name. */
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
    steps: isOpen ? [decidedByDevelopers('Fraud reviews', 'flags')] : [],
    footer: isOpen
      ? MERCHANT_FOOTER
      : "You receive this because it concerns commissions of your program. It can't be turned off.",
  };
};

export const flagOpenedMail = (flag: FlagMail): MailContent => {
  const type = TYPES[flag.type].toLowerCase();
  const who = whoOf(flag);
  return mailOf(
    flag,
    flag.conversions === 0 ? `Fraud review of ${who}: ${type}` : `Commissions of ${who} are on hold: ${type}`,
    effectOf(flag),
  );
};

export const flagReminderMail = (flag: FlagMail): MailContent => {
  const who = whoOf(flag);
  return mailOf(
    flag,
    `Reminder: ${flag.conversions === 0 ? `fraud review of ${who}` : `commissions of ${who} are on hold`}`,
    `Nobody has decided on this fraud review yet. ${effectOf(flag)}`,
  );
};

const DEADLINES = {
  keep_open: `${sentenceOf(textOf(flagForMerchant.reasons.overdue))} The related commissions stay on hold.`,
  confirm: `${sentenceOf(textOf(flagForMerchant.reasons.deadline))} ${flagForMerchant.states.confirmed.text}`,
  dismiss: `${sentenceOf(textOf(flagForMerchant.reasons.deadline))} ${flagForMerchant.states.dismissed.text}`,
} as const;

export const flagDeadlineMail = (flag: FlagMail): MailContent => {
  const action = flag.deadlineAction ?? 'keep_open';
  return mailOf(flag, `Deadline passed: fraud review of ${whoOf(flag)}`, DEADLINES[action], action === 'keep_open');
};
