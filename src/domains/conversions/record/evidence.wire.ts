import { z } from 'zod';
import { lenient } from '../../../platform/http/lenient.ts';
import { line, MAX_METADATA_KEYS } from '../../../platform/http/schemas.ts';
import { externalId } from '../lists/sales.wire.ts';
import { readMetadata } from './own-metadata.rules.ts';

/*
 * What leads from a sale or a sign-up to a customer and an affiliate. None of it decides about the money, so none of it refuses a payment.
 */

const MAX_EMAIL = 320;

const text = (maxLength: number) => ({ type: ['string', 'null'], maxLength });

/** Any text: it is compared, and never written to. */
export const buyerEmail = lenient(z.string().trim().min(1).max(MAX_EMAIL), { json: text(MAX_EMAIL), isPersonal: true });

const optionalId = lenient(externalId, { json: text(200) });

export const customerFields = {
  id: optionalId.describe(
    'Your id of the customer, which recognizes later payments. Left out: whoever has the email address, and without one a customer of this sale only',
  ),
  email: buyerEmail.describe(
    'Email address as the customer entered it, stored as a keyed hash, which the fraud rules compare with those of affiliates. Left out: it is not compared',
  ),
  stripeCustomerId: optionalId.describe(
    "The customer's id at Stripe (`cus_…`): payments under both ids are of one customer from now on. Left out: not known",
  ),
};

/** Codes are compared without case. */
const code = (max: number) => lenient(line(max).toLowerCase(), { json: text(max) });

export const evidenceFields = {
  clickToken: lenient(line(200), { json: text(200) }).describe(
    'Token of the click that led to the sale or sign-up (`clk_…`). Left out: no evidence of a click',
  ),
  couponCode: code(100).describe(
    'Coupon that the customer used, any case. It is stronger than a click and a referral code. Left out: no evidence of a coupon',
  ),
  referralCode: code(50).describe('Code of the affiliate, any case. Left out: no evidence of a code'),
};

export const subscriptionId = optionalId.describe(
  'Your id of the subscription, for recurring payments. Left out: a single payment',
);

export const saleMetadata = z
  .unknown()
  .transform(readMetadata)
  .meta({
    override: { type: ['object', 'null'], maxProperties: MAX_METADATA_KEYS, additionalProperties: { type: 'string' } },
  })
  .optional()
  .describe('Data of your own that came with the sale: at most 20 text values, and 2 KB in total. Default: none');
