import { z } from 'zod';
import { PAYOUT_METHODS, type PayoutMethod } from '../../../contracts/affiliates.ts';
import { toDecimal } from '../../../contracts/currencies.ts';
import { PAYOUT_STATUSES, type PayoutDetails } from '../../../contracts/payouts.ts';
import { currencyCode, programName } from '../../../platform/http/fields.ts';
import { amountMinor, storedUuid, stringOrNull } from '../../../platform/http/schemas.ts';
import type { PayoutLike } from '../payouts.wire.ts';

/** What a person needs to pay a payout outside the system. Only the fields of its method are filled. */
export const payoutInstructionsSchema = z
  .object({
    payoutId: storedUuid.describe('Payout that this belongs to'),
    status: z.enum(PAYOUT_STATUSES).describe('Pay only while it is processing'),
    programName,
    affiliateCode: z.string().describe('Referral code of the affiliate'),
    amount: amountMinor.describe('Amount to pay'),
    amountDecimal: z.string().describe('The amount in major units, as bank forms expect it'),
    currency: currencyCode,
    method: z.enum(PAYOUT_METHODS).describe('How to pay'),
    recipient: z
      .object({
        paypalEmail: stringOrNull.describe('PayPal address to pay; null for other methods'),
        bankIban: stringOrNull.describe('In full'),
        bankBic: stringOrNull.describe('BIC of the bank; null if the affiliate entered none, and for other methods'),
        bankAccountHolder: stringOrNull.describe('Account holder; null for other methods'),
      })
      .describe('Where to send the money; only the fields of the method are filled'),
    reference: z.string().describe('Text for the transfer, so that it can be matched to the payout: its `paymentReference`'),
  })
  .meta({ id: 'PayoutInstructions' });

export type PayoutInstructions = z.infer<typeof payoutInstructionsSchema>;

/** Contains the recipient in clear: for the response only. */
export const toPayoutInstructions = (
  payout: Pick<PayoutLike, 'id' | 'paymentReference' | 'status' | 'amount' | 'currency'> & { method: PayoutMethod },
  { paypalEmail, bankIban, bankBic, bankAccountHolder }: Omit<PayoutDetails, 'method'>,
  names: Pick<PayoutInstructions, 'programName' | 'affiliateCode'>,
): PayoutInstructions => ({
  payoutId: payout.id,
  status: payout.status,
  ...names,
  amount: payout.amount,
  amountDecimal: toDecimal(payout.amount, payout.currency),
  currency: payout.currency,
  method: payout.method,
  recipient:
    payout.method === 'paypal'
      ? { paypalEmail, bankIban: null, bankBic: null, bankAccountHolder: null }
      : { paypalEmail: null, bankIban, bankBic, bankAccountHolder },
  reference: payout.paymentReference,
});
