import type { PendingValue, ProtectedSetting } from '../../../contracts/approvals.ts';
import type { NotificationPreferences } from '../../../contracts/notifications.ts';
import { upperFirst } from '../../../contracts/workflows/text.ts';
import { localTime } from '../../../platform/local-time.ts';
import { type MailContent, type PageLink, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime, MANY_IN_AN_HOUR } from './format.ts';
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

/** Null when nothing happened that the merchant wants emails about. */
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
  /** Lines of the week before, for comparison. */
  before: readonly ActivityLine[];
  /** Payouts that need a decision. */
  waiting: { count: number; isCapped: boolean };
}

const waitingFact = ({ count, isCapped }: DigestMail['waiting']): [string, string] => [
  'Payouts that need a decision',
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
    steps:
      waiting.count === 0 ? [] : [{ text: 'View payouts that need a decision', page: '/console/payouts?needsAttention=true' }],
    footer: preferencesFooter(`You receive this every Monday morning, for ${plain(companyName)}.`),
  };
};

const NAMES = { applications: 'applications', flags: 'fraud reviews' } as const;

/** More of one kind in an hour than merchants get single emails about. */
export const manyWaitingMail = (what: 'applications' | 'flags'): MailContent => ({
  subject: `Many more ${NAMES[what]} need your decision`,
  heading: `Many more ${NAMES[what]} need your decision`,
  paragraphs: [MANY_IN_AN_HOUR],
  sections: [],
  steps: [decidedByDevelopers(upperFirst(NAMES[what]), what === 'flags' ? 'flags' : 'affiliates')],
  footer: MERCHANT_FOOTER,
});

/** "1,000.00 USD, 900.00 EUR". */
const limitsText = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([currency, amount]) => formatAmount(amount, currency))
    .join(', ') || 'Off';

const valueText = (value: PendingValue): string =>
  typeof value === 'number' ? `${formatCount(value)} hours` : limitsText(value ?? {});

const PROTECTING_FOOTER = "You receive this because it protects your payouts. It can't be turned off.";

export const thresholdChangedMail = (change: {
  companyName: string;
  oldThreshold: PendingValue;
  newThreshold: PendingValue;
  at: Date;
}): MailContent => ({
  subject: `${plain(change.companyName)}: your approval threshold changed`,
  heading: 'Your approval threshold changed',
  paragraphs: ['Payouts of at least this amount need the approval of a second person.'],
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
    "Didn't expect this? Set it back, and revoke the API key or remove the person that made the change.",
    { text: 'Review the approval rules', page: '/console/settings' },
  ],
  footer: PROTECTING_FOOTER,
});

const SETTINGS: Readonly<Record<ProtectedSetting, string>> = {
  payoutApprovalThreshold: 'Approval by a second person from',
  payoutDailyLimit: '24-hour limit',
  detailsCooldownHours: 'Wait after payout details change',
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
  subject: `${plain(change.companyName)}: payouts will be less protected`,
  heading: 'Payouts will be less protected',
  paragraphs: ['The change takes effect at the time below, or as soon as a second person approves it, unless someone stops it.'],
  sections: [
    {
      title: SETTINGS[change.setting],
      facts: [
        ['Now', valueText(change.oldValue)],
        ['From then on', valueText(change.newValue)],
        ['Takes effect', formatTime(change.dueAt)],
        ['Requested by', plain(change.actor)],
      ],
    },
  ],
  steps: [
    { text: 'Approve or stop it', page: '/console/settings' },
    "Didn't expect this? Also revoke the API key that made the change and any keys it created, or remove the person.",
  ],
  footer: PROTECTING_FOOTER,
});
