import { type MailContent, plain } from '../mail-content.ts';
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
  const path = `/payout-runs/${runId}`;
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
          ['Run', runId],
        ],
      },
    ],
    steps: [
      `Check whom it pays, and whom not: GET ${path}/items`,
      `To approve, as somebody who did not draft, edit or confirm it: POST ${path}/approve. To refuse: POST ${path}/cancel`,
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
  steps: ['See them: GET /payout-runs?status=awaiting_approval'],
  footer: MERCHANT_FOOTER,
});
