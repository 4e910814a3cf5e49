import type { ReviewReason } from '../../../contracts/payouts.ts';
import { type MailContent, type PageLink, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime, payeeOf } from './format.ts';

/** A payout that waits for a person. */
export interface WaitingPayout {
  payoutId: string;
  amount: number;
  currency: string;
  affiliateCode: string;
  /** Null for a person whose data was erased. */
  affiliateName: string | null;
  programName: string;
  /** Null for a payment by hand that has not been recorded. */
  reviewReason: ReviewReason | null;
  since: Date;
}

const REASONS: Readonly<Record<ReviewReason, string>> = {
  accepted_before: 'The payment provider has no record of a transfer that it accepted before.',
  accepted_too_long: 'The payment provider accepted the transfer and has not completed it in time.',
  contradiction:
    'The payment provider reported the transfer as paid and as failed. Nothing is booked until you say which is true.',
  key_reused: 'The payment provider has another order under the key of this transfer.',
  record_mismatch: 'The record of the payment provider has another amount, currency or reference.',
  reminders_exhausted: 'It is to be paid by hand, and nobody has recorded a payment in time.',
  repeat_window_over: 'The payment provider has no record of the transfer, and it is too late to send it again safely.',
  resend_blocked:
    'The payment provider has no record of the transfer. It is not sent again, because the affiliate was blocked or paused, a commission was held, or the run was cancelled.',
  never_sent: 'The payment provider reported a transfer that was never sent from here, and has no record of it now.',
  resends_exhausted: 'The payment provider has no record of the transfer, although it was sent several times.',
  return_unconfirmed: 'It was reported that the money came back, and the payment provider does not confirm it.',
  status_unknown: 'The payment provider reports a status that is not supported.',
  unknown_too_long: 'The payment provider has not told the outcome of the transfer in time.',
};

/** What a person finds out before deciding on the page of the payout. */
const QUESTIONS: Readonly<Partial<Record<ReviewReason, string>>> = {
  contradiction: 'Ask the provider whether it was paid, then decide',
  return_unconfirmed: 'Find out whether the money came back, then decide',
  reminders_exhausted: 'See what to pay and to whom, and record what became of it',
};

const stepsOf = ({ payoutId, reviewReason }: WaitingPayout): PageLink[] => [
  {
    text:
      QUESTIONS[reviewReason ?? 'reminders_exhausted'] ?? 'Read what happened, ask the provider whether it was paid, then decide',
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
        ['Since', formatTime(payout.since)],
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
    `A payout waits for you: ${nameOf(payout)}`,
    payout.reviewReason === null ? 'Somebody has to decide what becomes of it.' : REASONS[payout.reviewReason],
  );

export const payoutReminderMail = (payout: WaitingPayout): MailContent =>
  mailOf(payout, `Not paid yet: ${nameOf(payout)}`, 'It is to be paid by hand, and nobody has recorded a payment.');

/** `payment`: the amount, and where it goes, masked. */
export const payoutApprovalMail = ({ payment, ...payout }: WaitingPayout & { payment: string }): MailContent => {
  const mail = mailOf(
    payout,
    `A payout is to be approved: ${nameOf(payout)}`,
    'Nothing is paid before somebody else than its creator approved it. After 7 days it fails, and the amount is payable again.',
  );
  return {
    ...mail,
    sections: mail.sections.map((section) => ({ ...section, facts: [['Pays', plain(payment)], ...section.facts] })),
    steps: [
      {
        text: 'Check the amount and the payee, then approve or refuse it, as somebody other than its creator',
        page: `/console/payouts/${payout.payoutId}`,
      },
    ],
  };
};

const MANY = {
  payout_attention: [
    'Many more payouts wait for you',
    { text: 'See all that wait', page: '/console/payouts?needsAttention=true' },
  ],
  payout_reminder: ['Many more payouts are not paid yet', { text: 'See them', page: '/console/pay/by-hand' }],
  payout_approval: ['Many more payouts are to be approved', { text: 'See them', page: '/console/payouts?status=pending' }],
} as const;

/** More of them in an hour than are mailed one by one. */
export const manyPayoutsWaitMail = (kind: keyof typeof MANY): MailContent => {
  const [heading, step] = MANY[kind];
  return {
    subject: heading,
    heading,
    paragraphs: ['So many came within an hour that there is no mail for each of the others.'],
    sections: [],
    steps: [step],
    footer: MERCHANT_FOOTER,
  };
};

/** Payouts that wait since at least an hour. `count` includes those that are not named. */
export const payoutsWaitingMail = (
  companyName: string,
  { payouts, count, isCapped }: { payouts: readonly WaitingPayout[]; count: number; isCapped: boolean },
): MailContent => {
  const number = `${isCapped ? 'more than ' : ''}${formatCount(count)}`;
  const heading = count === 1 ? '1 payout waits for you' : `${number} payouts wait for you`;
  const others = count > payouts.length ? [`The oldest ${formatCount(payouts.length)} are shown.`] : [];
  return {
    subject: `${plain(companyName)}: ${heading}`,
    heading: heading.replace(/^./, (first) => first.toUpperCase()),
    paragraphs: ['Nothing happens to them before somebody decides.', ...others],
    sections: payouts.map((payout) => ({
      title: nameOf(payout),
      facts: [
        ['Why', payout.reviewReason === null ? 'Not paid yet' : REASONS[payout.reviewReason]],
        ['Since', formatTime(payout.since)],
      ],
    })),
    steps: [{ text: 'See all of them', page: '/console/payouts?needsAttention=true' }],
    footer: 'You receive this every morning while payouts wait for a decision. It cannot be switched off.',
  };
};
