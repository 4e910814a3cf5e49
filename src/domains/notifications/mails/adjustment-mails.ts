import type { AdjustmentKind } from '../../../contracts/conversions.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';
import { formatAmount, MANY_IN_AN_HOUR, payeeOf } from './format.ts';
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
  const heading = `Adjustment awaiting your approval: ${amount} for ${payeeOf(adjustment)}`;
  return {
    subject: heading,
    heading,
    paragraphs: ["It won't be posted until someone other than its creator approves it. It expires after 7 days."],
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

/** More in an hour than merchants get single emails about. */
export const manyAdjustmentsWaitMail = (): MailContent => ({
  subject: 'Many more adjustments are awaiting your approval',
  heading: 'Many more adjustments are awaiting your approval',
  paragraphs: [MANY_IN_AN_HOUR],
  sections: [],
  steps: [decidedByDevelopers('Adjustments', 'pay-manually')],
  footer: MERCHANT_FOOTER,
});
