import { z } from 'zod';

/** Amounts in minor units by currency, in place of PayPal's default limit of one payment. */
const itemLimit = z.record(z.string().regex(/^[a-z]{3}$/), z.int().min(1));

export const paypalAccountSchema = z.object({
  environment: z.enum(['live', 'sandbox']),
  clientId: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9_-]{10,}$/, 'must be the client ID of an app: at least 10 letters and digits'),
  clientSecret: z
    .string()
    .max(200)
    .regex(/^[\x21-\x7e]{10,}$/, 'must be the secret key of the app: at least 10 characters without spaces'),
  itemLimit: itemLimit.refine((limits) => Object.keys(limits).length <= 50).optional(),
  /** A check finds or makes it. Without it, no notice can be verified, and look-ups have to suffice. */
  webhookId: z
    .string()
    .max(50)
    .regex(/^[A-Za-z0-9-]+$/)
    .optional(),
});
export type PayPalAccount = z.output<typeof paypalAccountSchema>;

export type PayPalEnvironment = PayPalAccount['environment'];

/** Nothing is sent anywhere else, whatever a link says. */
export const PAYPAL_URLS: Readonly<Record<PayPalEnvironment, string>> = {
  live: 'https://api-m.paypal.com',
  sandbox: 'https://api-m.sandbox.paypal.com',
};
