import { defineEntity, p } from '@mikro-orm/core';
import { CUSTOMER_IDENTITY_KINDS, CUSTOMER_STATUSES } from '../../contracts/conversions.ts';

/** One person in one program, with what sales and sign-ups say: a database function keeps it up to date. */
export const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    /** The one of the customer's ids that is shown. Null: joined into another customer. */
    externalId: p.text().nullable(),
    /** The affiliate in the most recent evidence. */
    affiliateId: p.uuid().nullable(),
    attributedAt: p.datetime(3).nullable(),
    identifiedAt: p.datetime(3).nullable(),
    firstPaidAt: p.datetime(3).nullable(),
    /** Null: only the identities are known. */
    status: p.enum(CUSTOMER_STATUSES).nullable(),
    /** False: joined of several, and what that changes about their sales isn't done yet. */
    isSettled: p.boolean().default(true),
    joinedInto: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
});

/** Whatever names a customer in one program. A mailbox is a keyed hash. */
export const CustomerIdentitySchema = defineEntity({
  name: 'CustomerIdentity',
  tableName: 'customer_identity',
  properties: {
    programId: p.uuid().primary(),
    kind: p.enum(CUSTOMER_IDENTITY_KINDS).primary(),
    value: p.text().primary(),
    customerId: p.uuid(),
    createdAt: p.datetime(3),
  },
});
