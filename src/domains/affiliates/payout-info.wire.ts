import { z } from 'zod';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { bankLine, emailAddress, line, nameLine, stringOrNull, timestamp, withTextsOf } from '../../platform/http/schemas.ts';
import { merchantSchema } from '../merchants/index.ts';
import { parseBic, parseIban } from './bank-codes.rules.ts';
import type { EnteredDetails, PayoutInfo } from './payout-info.rules.ts';

export const detailsRejectedSchema = z
  .object({
    railReason: stringOrNull.describe(
      "The provider's own code of the last refusal; null when only payouts of others were refused",
    ),
    since: timestamp
      .nullable()
      .describe('When the provider last refused a payout to these details; null when only payouts of others were refused'),
  })
  .nullable();

export type DetailsRejection = NonNullable<z.infer<typeof detailsRejectedSchema>>;

export const payoutInfoSchema = z
  .object({
    payoutMethod: z.enum(PAYOUT_METHODS).nullable().describe('How you are paid; null if you have not said'),
    paypalEmail: stringOrNull.describe('PayPal address; null if there is none'),
    bankAccountHolder: stringOrNull.describe('Holder of the bank account, as the bank knows it; null if there is none'),
    bankIban: stringOrNull.describe('Masked to the last four characters; null if there is none'),
    bankBic: stringOrNull.describe('BIC of the bank, in the country of the IBAN; null if not set'),
    firstName: stringOrNull.describe('First name; null if not set'),
    lastName: stringOrNull.describe('Last name; null if not set'),
    addressLine1: merchantSchema.shape.addressLine1,
    addressLine2: merchantSchema.shape.addressLine2,
    city: merchantSchema.shape.city,
    state: merchantSchema.shape.state,
    postalCode: merchantSchema.shape.postalCode,
    vatId: merchantSchema.shape.vatId,
    detailsRejected: detailsRejectedSchema.describe(
      'Set when payouts to these details were refused so often that nothing more is sent there: change them, or confirm them by `POST /me/payout-info/confirm`. Null if not',
    ),
    detailsCooldownUntil: timestamp
      .nullable()
      .describe(
        'Until when nobody pays to these details, since you changed them in the portal or with a new API key. The email about the change has a link that brings the previous details back. Null if nobody has to wait',
      ),
  })
  .meta({ id: 'PayoutInfo' });

export type PayoutInfoView = z.infer<typeof payoutInfoSchema>;

/** A code that is stored without spaces and in upper case. `parse` returns null for one that is not valid. */
const bankCode = (parse: (text: string) => string | null, rule: string, pattern: string) =>
  z
    .string()
    .max(64)
    .refine((text) => parse(text) !== null, { message: rule, abort: true })
    .transform((text) => parse(text) ?? text)
    .meta({ override: { type: 'string', maxLength: 64, pattern } });

const account = {
  paypalEmail: emailAddress,
  bankAccountHolder: bankLine(140),
  bankIban: bankCode(parseIban, 'is not a valid IBAN', '^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]{11,}$'),
  bankBic: bankCode(parseBic, 'is not a valid BIC', '^[A-Za-z]{6}[A-Za-z0-9 ]{2,}$'),
};

/** What a merchant enters of an affiliate, and is shown of it. */
export const enteredDetailsSchema = payoutInfoSchema
  .pick({ payoutMethod: true, paypalEmail: true, bankAccountHolder: true, bankIban: true, bankBic: true })
  .extend({ payoutMethod: z.enum(PAYOUT_METHODS).nullable().describe('How you pay the affiliate; null if nothing is entered') })
  .meta({ id: 'EnteredPayoutDetails' });

export const enteredDetailsBody = {
  paypalEmail: account.paypalEmail
    .nullable()
    .optional()
    .describe(
      'Where you pay the person until they enter payout details of their own. Replaces a bank account. Default: unchanged, or none',
    ),
  bankAccountHolder: account.bankAccountHolder
    .nullable()
    .optional()
    .describe('Holder of the bank account, as the bank knows it. Needed with `bankIban`'),
  bankIban: account.bankIban
    .nullable()
    .optional()
    .describe('IBAN in full, with or without spaces, instead of `paypalEmail`. It is never returned in full'),
  bankBic: account.bankBic
    .nullable()
    .optional()
    .describe('BIC of the bank, in the country of the IBAN. Default: unchanged, or none'),
};

/** Either address or account: which of two would be used could not be seen. */
export const namesOneAccount = ({ paypalEmail, bankAccountHolder, bankIban, bankBic }: EnteredDetails): boolean =>
  !paypalEmail || !(bankAccountHolder || bankIban || bankBic);
export const ONE_ACCOUNT = { path: ['paypalEmail'], message: 'cannot be combined with a bank account' };

export const toEnteredDetails = (info: PayoutInfo): z.infer<typeof enteredDetailsSchema> =>
  enteredDetailsSchema.strip().parse(toPayoutInfo(info));

export const updatePayoutInfoBody = z
  .strictObject(
    withTextsOf(merchantSchema, {
      payoutMethod: z
        .enum(PAYOUT_METHODS)
        .nullable()
        .describe(
          'How you are paid. Left out: unchanged, or the method whose details are complete if there was none, PayPal first',
        ),
      paypalEmail: account.paypalEmail.nullable().describe('Address of your PayPal account'),
      bankAccountHolder: account.bankAccountHolder
        .nullable()
        .describe('Holder of the bank account, as the bank knows it. Needed with `bankIban`'),
      bankIban: account.bankIban.nullable().describe('IBAN in full, with or without spaces. It is never returned in full'),
      bankBic: account.bankBic.nullable().describe('BIC of the bank, in the country of the IBAN; null if not set'),
      firstName: nameLine(100).nullable().describe('First name; null if not set'),
      lastName: nameLine(100).nullable().describe('Last name; null if not set'),
      addressLine1: nameLine(200).nullable(),
      addressLine2: nameLine(200).nullable(),
      city: nameLine(100).nullable(),
      state: nameLine(100).nullable(),
      postalCode: line(20).nullable(),
      vatId: line(32).nullable(),
    }),
  )
  .partial();

export const restorePayoutInfoBody = z.strictObject({ token: z.string().max(100).describe('Of the mailed link') });
export const restoredPayoutInfoSchema = z
  .object({ success: z.literal(true).describe('The previous details are back') })
  .meta({ id: 'RestoredPayoutInfo' });

const NOTHING_WAITS = { detailsRejected: null, detailsCooldownUntil: null };

export const toPayoutInfo = (
  info: PayoutInfo,
  waits: Pick<PayoutInfoView, 'detailsRejected' | 'detailsCooldownUntil'> = NOTHING_WAITS,
): PayoutInfoView => ({
  payoutMethod: info.payoutMethod,
  paypalEmail: info.paypalEmail,
  bankAccountHolder: info.bankAccountHolder,
  bankIban: info.bankIban === null ? null : `****${info.bankIban.slice(-4)}`,
  bankBic: info.bankBic,
  firstName: info.firstName,
  lastName: info.lastName,
  addressLine1: info.addressLine1,
  addressLine2: info.addressLine2,
  city: info.city,
  state: info.state,
  postalCode: info.postalCode,
  vatId: info.vatId,
  ...waits,
});
