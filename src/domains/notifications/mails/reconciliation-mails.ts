import type { DifferenceKind, PaymentsHoldCause } from '../../../contracts/reconciliation.ts';
import {
  differenceForMerchant,
  PAY_NOTHING_ELSEWHERE,
  PAYMENTS_HELD,
  paymentsHeldBecause,
} from '../../../texts/reconciliation.merchant.en.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatCount } from './format.ts';

interface Differences {
  companyName: string;
  open: readonly { kind: DifferenceKind; count: number }[];
}

/** How many of each kind are open. The page lists them. */
export const differencesMail = ({ companyName, open }: Differences): MailContent => {
  const total = open.reduce((sum, { count }) => sum + count, 0);
  const what = `${formatCount(total)} ${total === 1 ? 'payment differs' : 'payments differ'} from your provider's records`;
  return {
    subject: `${plain(companyName)}: ${what}`,
    heading: what,
    paragraphs: [
      "We compare your books with your payment providers every day. For these payments, the two don't agree, and we don't change anything on our own.",
      'You get at most one of these emails a day.',
    ],
    sections: [
      {
        title: 'What differs',
        facts: open.map(({ kind, count }): [string, string] => [differenceForMerchant[kind].label, formatCount(count)]),
      },
    ],
    steps: [{ text: 'Review the differences', page: '/console/reconciliation' }],
    footer: MERCHANT_FOOTER,
  };
};

export const paymentsHeldMail = ({ companyName, cause }: { companyName: string; cause: PaymentsHoldCause }): MailContent => ({
  subject: `${plain(companyName)}: all payments are on hold`,
  heading: 'All payments are on hold',
  paragraphs: [paymentsHeldBecause[cause], PAYMENTS_HELD, PAY_NOTHING_ELSEWHERE],
  sections: [],
  steps: [{ text: 'See what was compared', page: '/console/reconciliation' }],
  footer: MERCHANT_FOOTER,
});
