import type { AdjustmentKind } from '../../../contracts/conversions.ts';
import { type MailContent, plain } from '../mail-content.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount } from './format.ts';

export interface AdjustmentMail {
  adjustmentId: string;
  amount: number;
  currency: string;
  kind: AdjustmentKind;
  affiliateCode: string;
  programName: string;
}

export const adjustmentApprovalMail = (adjustment: AdjustmentMail): MailContent => {
  const path = `/adjustments/${adjustment.adjustmentId}`;
  const amount = formatAmount(adjustment.amount, adjustment.currency);
  const heading = `An adjustment is to be approved: ${amount} for ${plain(adjustment.affiliateCode)}`;
  return {
    subject: heading,
    heading,
    paragraphs: ['Nothing is booked before somebody else than its creator approved it. After 7 days it expires.'],
    sections: [
      {
        title: null,
        facts: [
          ['Amount', amount],
          ['Kind', adjustment.kind],
          ['Affiliate', plain(adjustment.affiliateCode)],
          ['Program', plain(adjustment.programName)],
          ['Adjustment', adjustment.adjustmentId],
        ],
      },
    ],
    steps: [`To approve, as somebody other than its creator: POST ${path}/approve. To refuse: POST ${path}/cancel`],
    footer: MERCHANT_FOOTER,
  };
};

/** More of them in an hour than are mailed one by one. */
export const manyAdjustmentsWaitMail = (): MailContent => ({
  subject: 'Many more adjustments are to be approved',
  heading: 'Many more adjustments are to be approved',
  paragraphs: ['So many came within an hour that there is no mail for each of the others.'],
  sections: [],
  steps: ['See them: GET /affiliates/{id}/adjustments'],
  footer: MERCHANT_FOOTER,
});
