import type { AdjustmentKind } from '../../../contracts/conversions.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, payeeOf } from './format.ts';
import { decidedByDevelopers } from './no-page.ts';

export interface AdjustmentMail {
  adjustmentId: string;
  amount: number;
  currency: string;
  kind: AdjustmentKind;
  affiliateCode: string;
  /** Null for a person whose data was erased. */
  affiliateName: string | null;
  programName: string;
}

export const adjustmentApprovalMail = (adjustment: AdjustmentMail): MailContent => {
  const amount = formatAmount(adjustment.amount, adjustment.currency);
  const heading = `An adjustment is to be approved: ${amount} for ${payeeOf(adjustment)}`;
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
          ['Affiliate', payeeOf(adjustment)],
          ['Program', plain(adjustment.programName)],
        ],
      },
    ],
    steps: [decidedByDevelopers('Adjustments', 'pay-manually')],
    footer: MERCHANT_FOOTER,
  };
};

/** More of them in an hour than are mailed one by one. */
export const manyAdjustmentsWaitMail = (): MailContent => ({
  subject: 'Many more adjustments are to be approved',
  heading: 'Many more adjustments are to be approved',
  paragraphs: ['So many came within an hour that there is no mail for each of the others.'],
  sections: [],
  steps: [decidedByDevelopers('Adjustments', 'pay-manually')],
  footer: MERCHANT_FOOTER,
});
