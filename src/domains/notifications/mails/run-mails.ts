import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, formatCount, formatTime } from './format.ts';

export interface RunMail {
  runId: string;
  name: string | null;
  /** Null: all programs. */
  programName: string | null;
  /** Minor units by currency. */
  total: Readonly<Record<string, number>>;
  /** Affiliates whom it pays. */
  items: number;
  since: Date;
}

export const runApprovalMail = ({ runId, name, programName, total, items, since }: RunMail): MailContent => {
  const amounts = Object.entries(total).map(([currency, amount]) => formatAmount(amount, currency));
  const payees = `${formatCount(items)} affiliate${items === 1 ? '' : 's'}`;
  const heading = `A payout run is to be approved: ${amounts.join(' and ')} to ${payees}`;
  return {
    subject: heading,
    heading,
    paragraphs: [
      'Nothing is paid before somebody else than those who drafted and confirmed it approved exactly this list. After 7 days it is cancelled.',
    ],
    sections: [
      {
        title: null,
        facts: [
          ['Total', amounts.join(', ')],
          ['Affiliates', formatCount(items)],
          ['Program', programName === null ? 'All programs' : plain(programName)],
          ...(name === null ? [] : [['Name', plain(name)] satisfies [string, string]]),
          ['Since', formatTime(since)],
        ],
      },
    ],
    steps: [
      {
        text: 'Check whom it pays, then approve or refuse it, as somebody who did not draft, edit or confirm it',
        page: `/console/pay/runs/${runId}`,
      },
    ],
    footer: MERCHANT_FOOTER,
  };
};

/** More of them in an hour than are mailed one by one. */
export const manyRunsWaitMail = (): MailContent => ({
  subject: 'Many more payout runs are to be approved',
  heading: 'Many more payout runs are to be approved',
  paragraphs: ['So many came within an hour that there is no mail for each of the others.'],
  sections: [],
  steps: [{ text: 'See them', page: '/console/pay/runs' }],
  footer: MERCHANT_FOOTER,
});
