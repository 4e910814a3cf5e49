import { z } from 'zod';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { line } from '../../platform/http/schemas.ts';
import { parseBic, parseIban } from './bank-codes.ts';
import type { PayoutInfo } from './payout-info.ts';

export const payoutInfoSchema = z
  .object({
    payoutMethod: z.enum(PAYOUT_METHODS).nullable(),
    paypalEmail: z.string().nullable(),
    bankAccountHolder: z.string().nullable(),
    bankIban: z.string().nullable().meta({ description: 'Masked to the last four characters; null if there is none' }),
    bankBic: z.string().nullable(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    addressLine1: z.string().nullable(),
    addressLine2: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    postalCode: z.string().nullable(),
    vatId: z.string().nullable(),
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

export const updatePayoutInfoBody = z
  .strictObject({
    payoutMethod: z.enum(PAYOUT_METHODS).nullable(),
    paypalEmail: z.email().max(254).nullable(),
    bankAccountHolder: line(140).nullable(),
    bankIban: bankCode(parseIban, 'is not a valid IBAN', '^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]{11,}$').nullable(),
    bankBic: bankCode(parseBic, 'is not a valid BIC', '^[A-Za-z]{6}[A-Za-z0-9 ]{2,}$').nullable(),
    firstName: line(100).nullable(),
    lastName: line(100).nullable(),
    addressLine1: line(200).nullable(),
    addressLine2: line(200).nullable(),
    city: line(100).nullable(),
    state: line(100).nullable(),
    postalCode: line(20).nullable(),
    vatId: line(32).nullable(),
  })
  .partial();

export const toPayoutInfo = (info: PayoutInfo): PayoutInfoView => ({
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
});
