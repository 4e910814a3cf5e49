import { defineEntity, p } from '@mikro-orm/core';

/** The latest request to connect a program to Stripe: an earlier one ends with it. */
export const StripeConnectRequestSchema = defineEntity({
  name: 'StripeConnectRequest',
  tableName: 'stripe_connect_request',
  properties: {
    programId: p.uuid().primary(),
    state: p.uuid(),
    /** Id of the key or the role that made it. */
    grantId: p.uuid(),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
    /** The account that granted access, until a person confirms that it is the right one. */
    accountId: p.text().nullable(),
    livemode: p.boolean().nullable(),
  },
});

/** What Stripe signs its events with for a program whose merchant uses an account of their own. */
export const StripeSigningSecretSchema = defineEntity({
  name: 'StripeSigningSecret',
  tableName: 'stripe_signing_secret',
  properties: {
    programId: p.uuid().primary(),
    ciphertext: p.text(),
    lastFour: p.text(),
    setBy: p.text(),
    setAt: p.datetime(3),
    /** The same for endpoints that are known to be of one Stripe account: the id of one of their programs. */
    accountGroup: p.uuid().nullable(),
  },
});
