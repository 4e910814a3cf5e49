import { runForMerchant } from '../../../texts/payout-run.merchant.en.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime, MANY_IN_AN_HOUR } from './format.ts';

export interface RunMail {
  runId: string;
  name: string | null;
  /** Null: all programs. */
  programName: string | null;
  /** Minor units by currency. */
  total: Readonly<Record<string, number>>;
  /** Number of affiliates that it pays. */
  items: number;
  since: Date;
}

export const runApprovalMail = ({ runId, name, programName, total, items, since }: RunMail): MailContent => {
  const amounts = Object.entries(total).map(([currency, amount]) => formatAmount(amount, currency));
  const payees = `${formatCount(items)} affiliate${items === 1 ? '' : 's'}`;
  // Amounts of several currencies stand below, one a line.
  const heading = `Payout run awaiting your approval: ${amounts.length === 1 ? `${amounts[0]} to ` : ''}${payees}`;
  return {
    subject: heading,
    heading,
    paragraphs: [`${runForMerchant.states.to_approve.text} If nobody does within 7 days, it is cancelled.`],
    sections: [
      {
        title: null,
        facts: [
          ...amounts.map((amount): [string, string] => ['Total', amount]),
          ['Affiliates', formatCount(items)],
          ['Program', programName === null ? 'All programs' : plain(programName)],
          ...(name === null ? [] : [['Name', plain(name)] satisfies [string, string]]),
          ['Waiting since', formatTime(since)],
        ],
      },
    ],
    steps: [
      {
        text: 'Review who gets paid, then approve or reject it',
        page: `/console/pay/runs/${runId}`,
      },
    ],
    footer: MERCHANT_FOOTER,
  };
};

/** More in an hour than merchants get single emails about. */
export const manyRunsWaitMail = (): MailContent => ({
  subject: 'Many more payout runs are awaiting your approval',
  heading: 'Many more payout runs are awaiting your approval',
  paragraphs: [MANY_IN_AN_HOUR],
  sections: [],
  steps: [{ text: 'View payout runs', page: '/console/pay/runs' }],
  footer: MERCHANT_FOOTER,
});
