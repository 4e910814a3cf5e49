import { z } from 'zod';
import { PAYEE_REQUIREMENTS, PAYEE_STATES, type PayeeRequirement, type PayeeState } from '../../contracts/payee-accounts.ts';
import { companyName } from '../../platform/http/fields.ts';
import { country, storedUuid, stringOrNull, timestamp, uuid } from '../../platform/http/schemas.ts';

const STRIPE_CONNECTION_STATES = ['not_connected', ...PAYEE_STATES] as const;

export const stripeConnectionSchema = z
  .object({
    merchantId: storedUuid.describe('The company that pays you'),
    companyName,
    state: z
      .enum(STRIPE_CONNECTION_STATES)
      .describe(
        '`pending`: Stripe waits for you, or decides. `ready`: the company pays you there instead of to your payout details. `restricted`: Stripe takes no payments for you, and the company cannot pay you until that is solved, or you disconnect',
      ),
    requirements: z
      .array(z.enum(PAYEE_REQUIREMENTS))
      .describe('What Stripe wants to know of you. Empty while it decides, and once it knows everything'),
    country: stringOrNull.describe('Country of your account at Stripe: ISO 3166-1 code of two letters; null if not connected'),
    readyAt: timestamp.nullable().describe('Since when the company pays you there; null if it does not'),
    detailsCooldownUntil: timestamp
      .nullable()
      .describe(
        'Until when the company pays you nothing, since you connected or disconnected the account. Null if nobody has to wait',
      ),
  })
  .meta({ id: 'StripeConnection' });

export type StripeConnectionView = z.infer<typeof stripeConnectionSchema>;

export const createStripeConnectionBody = z.strictObject({
  merchantId: uuid.describe('The company, of `GET /me/stripe-connections`'),
  country: country.describe(
    'Where you live, or where your company is: ISO 3166-1 code of two letters. It cannot be changed later',
  ),
});

export const stripeConnectionParams = z.strictObject({ merchantId: uuid.describe('The company') });

export const stripeOnboardingSchema = stripeConnectionSchema
  .extend({
    onboardingUrl: stringOrNull.describe(
      'Page of Stripe where you say what it wants to know. Works once, for a few minutes: call this again for another one. Null when Stripe has no questions',
    ),
  })
  .meta({ id: 'StripeOnboarding' });

/** As stored, with the merchant. All but that is null where nothing is connected. */
export interface StoredConnection {
  merchantId: string;
  companyName: string;
  accountId: string | null;
  state: PayeeState | null;
  requirements: PayeeRequirement[] | null;
  country: string | null;
  readyAt: string | null;
  disconnectedAt: string | null;
  cooldownUntil: string | null;
}

export const toStripeConnection = (row: StoredConnection, now: Date): StripeConnectionView => {
  const { merchantId, companyName } = row;
  const isConnected = row.state !== null && row.disconnectedAt === null;
  const { cooldownUntil } = row;
  return {
    ...{ merchantId, companyName },
    state: isConnected && row.state !== null ? row.state : 'not_connected',
    requirements: isConnected ? (row.requirements ?? []) : [],
    country: isConnected ? row.country : null,
    readyAt: row.readyAt === null ? null : new Date(row.readyAt).toISOString(),
    detailsCooldownUntil: cooldownUntil !== null && new Date(cooldownUntil) > now ? new Date(cooldownUntil).toISOString() : null,
  };
};

export const stripeConnectionExample: StripeConnectionView = {
  merchantId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  companyName: 'Northwind',
  state: 'pending',
  requirements: ['bank_account', 'identity_document'],
  country: 'DE',
  readyAt: null,
  detailsCooldownUntil: null,
};

export const createStripeConnectionExample = {
  data: { ...stripeConnectionExample, onboardingUrl: 'https://connect.stripe.com/setup/e/acct_1Nv0FGQ9RKHgCVdK/4bXt7dQ1' },
  body: { merchantId: stripeConnectionExample.merchantId, country: 'DE' },
};
