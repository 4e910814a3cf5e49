import { defineEntity, p } from '@mikro-orm/core';
import { PAYEE_STATES, type PayeeRequirement } from '../../contracts/payee-accounts.ts';

/** An account at Stripe that an affiliate connected to a version of a merchant's account. */
export const StripeConnectionSchema = defineEntity({
  name: 'StripeConnection',
  tableName: 'stripe_connection',
  properties: {
    id: p.uuid().primary(),
    profileId: p.uuid(),
    merchantId: p.uuid(),
    railAccountId: p.uuid(),
    /** ISO 3166, in upper case. */
    country: p.text(),
    /** Null until Stripe has made it, and after an erasure. */
    accountId: p.text().nullable(),
    state: p.enum(PAYEE_STATES).default('pending'),
    requirements: p.array().columnType('text[]').$type<PayeeRequirement[]>().defaultRaw("'{}'::text[]"),
    /** Connected by a person, or with a new key of theirs: whoever took over a session is not paid at once. */
    hasToWait: p.boolean(),
    /** Since when the affiliate is paid there. Null: not. */
    readyAt: p.datetime(3).nullable(),
    disconnectedAt: p.datetime(3).nullable(),
    /** When it last changed where the affiliate is paid, unless nobody had said before. */
    changedAt: p.datetime(3).nullable(),
    /** Until when nobody pays after that. */
    cooldownUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
