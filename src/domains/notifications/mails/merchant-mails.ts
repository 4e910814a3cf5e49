import type { PendingValue, ProtectedSetting } from '../../../contracts/approvals.ts';
import type { NotificationPreferences } from '../../../contracts/notifications.ts';
import { upperFirst } from '../../../contracts/workflows/text.ts';
import { localTime } from '../../../platform/local-time.ts';
import { type MailContent, type PageLink, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime } from './format.ts';
import { decidedByDevelopers } from './no-page.ts';

/** What happened in a period, in one currency. */
export interface ActivityLine {
  section: 'affiliates' | 'sales' | 'approvals' | 'payouts';
  /** Null for affiliates. */
  currency: string | null;
  count: number;
  /** Minor units: of sales, commissions or payouts. */
  amount: number;
  /** There was more than `count`. */
  isCapped: boolean;
}

const SECTIONS = [
  { section: 'affiliates', preference: 'newAffiliate', one: 'new affiliate', many: 'new affiliates' },
  { section: 'sales', preference: 'newConversion', one: 'sale through affiliates', many: 'sales through affiliates' },
  { section: 'approvals', preference: 'commissionApproved', one: 'commission approved', many: 'commissions approved' },
  { section: 'payouts', preference: 'payoutProcessed', one: 'payout completed', many: 'payouts completed' },
] as const;

const countOf = ({ count, isCapped }: ActivityLine): string => `${isCapped ? 'more than ' : ''}${formatCount(count)}`;

/** "3 (240.00 USD)"; without the sum when not everything was counted. */
const amountText = (line: ActivityLine): string =>
  line.currency === null || line.isCapped ? countOf(line) : `${countOf(line)} (${formatAmount(line.amount, line.currency)})`;

const factsOf = (lines: readonly ActivityLine[], wanted: (preference: keyof NotificationPreferences) => boolean) =>
  SECTIONS.filter(({ preference }) => wanted(preference)).flatMap(({ section, many }): [string, string][] =>
    lines.filter((line) => line.section === section).map((line) => [upperFirst(many), amountText(line)]),
  );

const summaryOf = (lines: readonly ActivityLine[], wanted: (preference: keyof NotificationPreferences) => boolean): string =>
  SECTIONS.filter(({ preference }) => wanted(preference))
    .flatMap(({ section, one, many }) => {
      const found = lines.filter((line) => line.section === section);
      const count = found.reduce((sum, line) => sum + line.count, 0);
      const isCapped = found.some((line) => line.isCapped);
      return count === 0 ? [] : [`${isCapped ? 'more than ' : ''}${formatCount(count)} ${count === 1 && !isCapped ? one : many}`];
    })
    .join(', ');

const preferencesFooter = (text: string): PageLink => ({
  text: `${text} Choose which emails you get`,
  page: '/console/settings/notifications',
});

const formatLocalTime = (time: Date, timeZone: string): string =>
  localTime(time, timeZone).setLocale('en').toLocaleString({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

export interface ActivityMail {
  companyName: string;
  timeZone: string;
  from: Date;
  to: Date;
  preferences: NotificationPreferences;
  lines: readonly ActivityLine[];
}

/** Null when nothing happened that the merchant wants to be told about. */
export const activityMail = ({ companyName, timeZone, from, to, preferences, lines }: ActivityMail): MailContent | null => {
  const wanted = (preference: keyof NotificationPreferences) => preferences[preference];
  const facts = factsOf(lines, wanted);
  if (facts.length === 0) return null;
  return {
    subject: `${plain(companyName)}: ${summaryOf(lines, wanted)}`,
    heading: summaryOf(lines, wanted).replace(/^./, (first) => first.toUpperCase()),
    paragraphs: [`From ${formatLocalTime(from, timeZone)} to ${formatLocalTime(to, timeZone)} (${timeZone}).`],
    sections: [{ title: null, facts }],
    steps: [],
    footer: preferencesFooter(`You receive this at most once an hour, for ${plain(companyName)}.`),
  };
};

export interface DigestMail extends Omit<ActivityMail, 'preferences'> {
  /** Of the week before, for comparison. */
  before: readonly ActivityLine[];
  /** Payouts that wait for a person. */
  waiting: { count: number; isCapped: boolean };
}

const waitingFact = ({ count, isCapped }: DigestMail['waiting']): [string, string] => [
  'Payouts that wait for you',
  `${isCapped ? 'more than ' : ''}${formatCount(count)}`,
];

/** Monday to Monday in the merchant's time zone. */
export const weeklyDigestMail = ({ companyName, timeZone, from, to, lines, before, waiting }: DigestMail): MailContent => {
  const facts = factsOf(lines, () => true);
  const earlier = factsOf(before, () => true);
  return {
    subject: `${plain(companyName)}: your week${facts.length === 0 ? '' : `, ${summaryOf(lines, () => true)}`}`,
    heading: 'Your week',
    paragraphs: [
      `From ${formatLocalTime(from, timeZone)} to ${formatLocalTime(to, timeZone)} (${timeZone}).`,
      ...(facts.length === 0 ? ['There were no new affiliates, sales, approved commissions or payouts.'] : []),
    ],
    sections: [
      ...(facts.length === 0 ? [] : [{ title: null, facts }]),
      ...(earlier.length === 0 ? [] : [{ title: 'The week before', facts: earlier }]),
      ...(waiting.count === 0 ? [] : [{ title: 'Needs a decision', facts: [waitingFact(waiting)] }]),
    ],
    steps: waiting.count === 0 ? [] : [{ text: 'See the payouts that wait', page: '/console/payouts?needsAttention=true' }],
    footer: preferencesFooter(`You receive this every Monday morning, for ${plain(companyName)}.`),
  };
};

/** More of one kind than a merchant is told about one by one in an hour. */
export const manyWaitingMail = (what: 'applications' | 'flags'): MailContent => ({
  subject: `Many more ${what} wait for you`,
  heading: `Many more ${what} wait for you`,
  paragraphs: ['So many came within an hour that there is no mail for each of the others.'],
  sections: [],
  steps: [what === 'flags' ? decidedByDevelopers('Flags', 'flags') : decidedByDevelopers('Applications', 'affiliates')],
  footer: MERCHANT_FOOTER,
});

/** "1,000.00 USD, 900.00 EUR". */
const limitsText = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([currency, amount]) => formatAmount(amount, currency))
    .join(', ') || 'Off';

const valueText = (value: PendingValue): string =>
  typeof value === 'number' ? `${formatCount(value)} hours` : limitsText(value ?? {});

const PROTECTING_FOOTER = 'You receive this because it protects your payouts. It cannot be switched off.';

export const thresholdChangedMail = (change: {
  companyName: string;
  oldThreshold: PendingValue;
  newThreshold: PendingValue;
  at: Date;
}): MailContent => ({
  subject: `${plain(change.companyName)}: the approval of payouts was changed`,
  heading: 'The approval of payouts was changed',
  paragraphs: ['Payouts of at least this amount need a second actor who approves them.'],
  sections: [
    {
      title: null,
      facts: [
        ['Before', valueText(change.oldThreshold)],
        ['Now', valueText(change.newThreshold)],
        ['Changed at', formatTime(change.at)],
      ],
    },
  ],
  steps: [
    'If nobody of your company did this: set it back, and revoke the key or remove the person that did it.',
    { text: 'See and change the rules', page: '/console/settings' },
  ],
  footer: PROTECTING_FOOTER,
});

const SETTINGS: Readonly<Record<ProtectedSetting, string>> = {
  payoutApprovalThreshold: 'Approval by a second actor from',
  payoutDailyLimit: 'Limit of payouts in 24 hours',
  detailsCooldownHours: 'Wait after a change of payout details',
};

export const ruleChangeMail = (change: {
  companyName: string;
  setting: ProtectedSetting;
  oldValue: PendingValue;
  newValue: PendingValue;
  dueAt: Date;
  /** Name of the API key or of the person. */
  actor: string;
}): MailContent => ({
  subject: `${plain(change.companyName)}: payouts are about to be protected less`,
  heading: 'Payouts are about to be protected less',
  paragraphs: ['The change takes effect then, or earlier when a second actor approves it, unless somebody stops it.'],
  sections: [
    {
      title: SETTINGS[change.setting],
      facts: [
        ['Now', valueText(change.oldValue)],
        ['From then on', valueText(change.newValue)],
        ['In effect', formatTime(change.dueAt)],
        ['Requested by', plain(change.actor)],
      ],
    },
  ],
  steps: [
    { text: 'Approve or stop it', page: '/console/settings' },
    'If nobody of your company did this, also revoke the key that did it, with the keys that it created, or remove the person.',
  ],
  footer: PROTECTING_FOOTER,
});
