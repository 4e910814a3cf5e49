import type { ReviewReason } from '../../../contracts/payouts.ts';
import { sentenceOf, textOf } from '../../../texts/catalogue.ts';
import { payoutForMerchant } from '../../../texts/payout.merchant.en.ts';
import { type MailContent, type PageLink, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime, MANY_IN_AN_HOUR, payeeOf } from './format.ts';

/** A payout that needs a person. */
export interface WaitingPayout {
  payoutId: string;
  amount: number;
  currency: string;
  affiliateCode: string;
  /** Null for a person whose data was erased. */
  affiliateName: string | null;
  programName: string;
  /** Null for a manual payment that has not been recorded. */
  reviewReason: ReviewReason | null;
  since: Date;
}

/** Why, in a sentence. */
const reasonOf = (reason: ReviewReason): string =>
  reason === 'contradiction'
    ? payoutForMerchant.states.contradiction.text
    : sentenceOf(textOf(payoutForMerchant.reasons[reason]));

const UNPAID = sentenceOf(textOf(payoutForMerchant.reasons.reminders_exhausted));

/** What a person finds out before deciding on the page of the payout. */
const QUESTIONS: Readonly<Partial<Record<ReviewReason, string>>> = {
  contradiction: 'Ask the payment provider whether it was paid, then decide',
  return_unconfirmed: 'Find out whether the money came back, then decide',
  reminders_exhausted: 'See what to pay and to whom, and record the payment',
};

const stepsOf = ({ payoutId, reviewReason }: WaitingPayout): PageLink[] => [
  {
    text: QUESTIONS[reviewReason ?? 'reminders_exhausted'] ?? 'Ask the payment provider whether it was paid, then decide',
    page: `/console/payouts/${payoutId}`,
  },
];

const nameOf = (payout: WaitingPayout): string => `${formatAmount(payout.amount, payout.currency)} to ${payeeOf(payout)}`;

const mailOf = (payout: WaitingPayout, heading: string, paragraph: string): MailContent => ({
  subject: heading,
  heading,
  paragraphs: [paragraph],
  sections: [
    {
      title: null,
      facts: [
        ['Amount', formatAmount(payout.amount, payout.currency)],
        ['Affiliate', payeeOf(payout)],
        ['Program', plain(payout.programName)],
        ['Waiting since', formatTime(payout.since)],
      ],
    },
  ],
  steps: stepsOf(payout),
  footer: MERCHANT_FOOTER,
});

/** `reviewReason` is not null. */
export const payoutAttentionMail = (payout: WaitingPayout): MailContent =>
  mailOf(
    payout,
    `A payout needs your decision: ${nameOf(payout)}`,
    payout.reviewReason === null ? payoutForMerchant.states.to_decide.text : reasonOf(payout.reviewReason),
  );

export const payoutReminderMail = (payout: WaitingPayout): MailContent =>
  mailOf(payout, `Not paid yet: ${nameOf(payout)}`, `${payoutForMerchant.states.to_pay.text} ${UNPAID}`);

/** `payment`: the amount, and where it goes, masked. */
export const payoutApprovalMail = ({ payment, ...payout }: WaitingPayout & { payment: string }): MailContent => {
  const mail = mailOf(
    payout,
    `Payout awaiting your approval: ${nameOf(payout)}`,
    `${payoutForMerchant.states.to_approve.text} If nobody does within 7 days, it fails and the amount is payable again.`,
  );
  return {
    ...mail,
    sections: mail.sections.map((section) => ({ ...section, facts: [['Pays', plain(payment)], ...section.facts] })),
    steps: [
      {
        text: "Check the amount and the payee, then approve or reject it. Whoever created it can't approve it",
        page: `/console/payouts/${payout.payoutId}`,
      },
    ],
  };
};

const MANY = {
  payout_attention: [
    'Many more payouts need your decision',
    { text: 'View payouts that need a decision', page: '/console/payouts?needsAttention=true' },
  ],
  payout_reminder: ['Many more payouts are not paid yet', { text: 'View manual payouts', page: '/console/pay/by-hand' }],
  payout_approval: [
    'Many more payouts are awaiting your approval',
    { text: 'View pending payouts', page: '/console/payouts?status=pending' },
  ],
} as const;

/** More of one kind in an hour than merchants get single emails about. */
export const manyPayoutsWaitMail = (kind: keyof typeof MANY): MailContent => {
  const [heading, step] = MANY[kind];
  return {
    subject: heading,
    heading,
    paragraphs: [MANY_IN_AN_HOUR],
    sections: [],
    steps: [step],
    footer: MERCHANT_FOOTER,
  };
};

/** Payouts that have waited for at least an hour. `count` includes those that are not named. */
export const payoutsWaitingMail = (
  companyName: string,
  { payouts, count, isCapped }: { payouts: readonly WaitingPayout[]; count: number; isCapped: boolean },
): MailContent => {
  const number = `${isCapped ? 'more than ' : ''}${formatCount(count)}`;
  const heading = count === 1 ? '1 payout needs your decision' : `${number} payouts need your decision`;
  const others = count > payouts.length ? [`The oldest ${formatCount(payouts.length)} are shown.`] : [];
  return {
    subject: `${plain(companyName)}: ${heading}`,
    heading: heading.replace(/^./, (first) => first.toUpperCase()),
    paragraphs: ['Nothing happens to them until someone decides.', ...others],
    sections: payouts.map((payout) => ({
      title: nameOf(payout),
      facts: [
        ['Why', payout.reviewReason === null ? UNPAID : reasonOf(payout.reviewReason)],
        ['Waiting since', formatTime(payout.since)],
      ],
    })),
    steps: [{ text: 'View all of them', page: '/console/payouts?needsAttention=true' }],
    footer: "You receive this every morning while payouts need a decision. It can't be turned off.",
  };
};
