import type { FlagType } from '../../../contracts/flags.ts';
import { type MailContent, plain } from '../mail-content.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime } from './format.ts';

export interface FlagMail {
  flagId: string;
  type: FlagType;
  affiliateCode: string;
  programName: string;
  conversions: number;
  /** Minor units. */
  heldAmount: number;
  currency: string;
  dueAt: Date;
  /** What was done at the deadline. */
  deadlineAction: 'keep_open' | 'confirm' | 'dismiss' | null;
}

const TYPES: Readonly<Record<FlagType, string>> = {
  suspicious_activity: 'Suspicious activity',
  self_referral: 'Possible self-referral',
  high_click_frequency: 'Unusually many clicks',
  conversion_anomaly: 'Unusually many sales',
  manual_review: 'Manual review',
};

const heldFacts = (flag: FlagMail): [string, string][] => [
  ['Commissions held', `${formatCount(flag.conversions)} (${formatAmount(flag.heldAmount, flag.currency)})`],
  ['Decide until', formatTime(flag.dueAt)],
];

const mailOf = (flag: FlagMail, subject: string, paragraph: string, isOpen = true): MailContent => {
  const path = `/flags/${flag.flagId}`;
  return {
    subject,
    heading: subject,
    paragraphs: [paragraph],
    sections: [
      {
        title: null,
        facts: [
          ['Reason', TYPES[flag.type]],
          ['Affiliate', plain(flag.affiliateCode)],
          ['Program', plain(flag.programName)],
          ...(isOpen ? heldFacts(flag) : []),
          ['Flag', flag.flagId],
        ],
      },
    ],
    steps: isOpen
      ? [`Look at the evidence: GET /flags`, `Decide: POST ${path}/resolve with confirmed, dismissed or reviewed`]
      : [],
    footer: isOpen ? MERCHANT_FOOTER : 'You receive this because it is about money of your program. It cannot be switched off.',
  };
};

export const flagOpenedMail = (flag: FlagMail): MailContent =>
  mailOf(
    flag,
    `Commissions of ${plain(flag.affiliateCode)} are held: ${TYPES[flag.type].toLowerCase()}`,
    'They are not paid while nobody has decided.',
  );

export const flagReminderMail = (flag: FlagMail): MailContent =>
  mailOf(
    flag,
    `Still waiting: commissions of ${plain(flag.affiliateCode)} are held`,
    'Nobody has decided on this flag yet, and they are not paid meanwhile.',
  );

const DEADLINES = {
  keep_open: 'Nobody decided in time. The flag stays open and the commissions stay held, as your settings say.',
  confirm: 'Nobody decided in time. The flag was confirmed and the commissions were rejected, as your settings say.',
  dismiss: 'Nobody decided in time. The flag was dismissed and the commissions are no longer held, as your settings say.',
} as const;

export const flagDeadlineMail = (flag: FlagMail): MailContent => {
  const action = flag.deadlineAction ?? 'keep_open';
  return mailOf(
    flag,
    `The time to decide is over: commissions of ${plain(flag.affiliateCode)}`,
    DEADLINES[action],
    action === 'keep_open',
  );
};
