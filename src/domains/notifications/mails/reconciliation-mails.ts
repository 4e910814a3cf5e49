import type { DifferenceKind, PaymentsHoldCause } from '../../../contracts/reconciliation.ts';
import { differenceForMerchant } from '../../../texts/reconciliation.merchant.en.ts';
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

const CAUSES: Readonly<Record<PaymentsHoldCause, string>> = {
  operator: 'The admin of this server put all payments on hold.',
  failover: 'Another database server took over. Payments go on automatically once your books agree with your providers.',
  database_replaced: 'The database of this server was restored or replaced, so it may not know every payment that was made.',
  database_behind: 'The database of this server was restored from a backup, and payments may have been made since that backup.',
};

export const paymentsHeldMail = ({ companyName, cause }: { companyName: string; cause: PaymentsHoldCause }): MailContent => ({
  subject: `${plain(companyName)}: all payments are on hold`,
  heading: 'All payments are on hold',
  paragraphs: [
    CAUSES[cause],
    'Nothing is sent until the books have been compared with your payment providers, so that nobody is paid twice. Your affiliates keep earning, and nothing is lost.',
    "Don't pay anything outside of this system in the meantime.",
  ],
  sections: [],
  steps: [{ text: 'See what was compared', page: '/console/reconciliation' }],
  footer: MERCHANT_FOOTER,
});
