import { z } from 'zod';
import { parseBic, parseIban } from '../../../affiliates/index.ts';
import { asSent, SEPA_CHARSETS } from './sepa-text.ts';

const line = (max: number) => z.string().trim().min(1).max(max);

const iban = z
  .string()
  .max(60)
  .transform((text, ctx) => {
    const found = parseIban(text);
    if (found === null) ctx.addIssue({ code: 'custom', message: 'must be a valid IBAN' });
    return found ?? z.NEVER;
  });

const bic = z
  .string()
  .max(30)
  .transform((text, ctx) => {
    const found = parseBic(text);
    if (found === null) ctx.addIssue({ code: 'custom', message: 'must be a valid BIC' });
    return found ?? z.NEVER;
  });

const addressSchema = z.strictObject({
  street: line(70).optional().describe('Street'),
  buildingNumber: line(16).optional().describe('Number of the house'),
  postCode: line(16).describe('Postal code'),
  town: line(35).describe('Town'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a country code of ISO 3166, such as DE')
    .describe('Country, ISO 3166'),
});

/** What a bank limits is smaller: the schema itself has no limit that a file could reach. */
const MAX_ORDERS = 50_000;

export const sepaAccountSchema = z
  .strictObject({
    debtorName: line(70)
      .refine((name) => asSent(name, 'sepa', 70).text !== '', 'must have letters that banks take')
      .describe('Name of the account holder, as the bank knows it'),
    debtorIban: iban.describe('IBAN of the account that pays'),
    debtorBic: bic.optional().describe('BIC of the bank. Not needed inside the EEA'),
    debtorAddress: addressSchema
      .optional()
      .describe('Address of the account holder. Needed to pay accounts outside the EEA, such as in Switzerland or the UK'),
    instant: z.boolean().default(false).describe('Orders instant payments, which not every bank takes as files'),
    charset: z
      .enum(SEPA_CHARSETS)
      .default('sepa')
      .describe('`sepa`: names without accents and umlauts, which every bank takes. `latin1`: with them'),
    maxTransactions: z.int().min(1).max(MAX_ORDERS).default(9_999).describe('Payments of one file; more become several files'),
    acscIsPaid: z
      .boolean()
      .default(false)
      .describe('Takes the status ACSC as proof of payment: for banks that send no statements'),
    payeeVerification: z
      .enum(['bank', 'opted_out'])
      .default('bank')
      .describe("Whether your bank verifies payees' names in files. What you agreed with it: changes nothing here but texts"),
  })
  .readonly();

export type SepaAccount = z.output<typeof sepaAccountSchema>;
