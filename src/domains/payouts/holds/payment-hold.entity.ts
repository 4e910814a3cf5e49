import { defineEntity, p } from '@mikro-orm/core';
import type { Rail } from '../../../contracts/rails.ts';
import { PAYMENTS_HOLD_CAUSES } from '../../../contracts/reconciliation.ts';
import type { References } from '../rails/answer.ts';

/** While one is not lifted, nothing is paid: the database may not know all payments that were made. */
export const PaymentsHoldSchema = defineEntity({
  name: 'PaymentsHold',
  tableName: 'payments_hold',
  properties: {
    id: p.uuid().primary(),
    cause: p.enum(PAYMENTS_HOLD_CAUSES),
    /** What the operator wrote. */
    reason: p.text().nullable(),
    heldBy: p.text(),
    heldAt: p.datetime(3),
    liftedBy: p.text().nullable(),
    liftedAt: p.datetime(3).nullable(),
    note: p.text().nullable(),
    /** Merchants up to this one were told. */
    toldAfter: p.uuid().nullable(),
    /** Null until all merchants were notified. */
    toldAt: p.datetime(3).nullable(),
  },
});

/** A payee who may have been paid already: the provider lists a payment that our books do not have. The id is that of the difference. */
export const PayeeHoldSchema = defineEntity({
  name: 'PayeeHold',
  tableName: 'payee_hold',
  properties: {
    id: p.uuid().primary(),
    /** Null for any merchant. */
    merchantId: p.uuid().nullable(),
    rail: p.text().$type<Rail>(),
    /** Result of `receiverHash`. Null where the provider does not say whom it paid: the amount decides then. */
    receiverHash: p.text().nullable(),
    amount: p.bigint('number'),
    currency: p.text(),
    /** Key of the payment. A payout that has the same is looked up and not sent. */
    idempotencyKey: p.text().nullable(),
    railReferences: p.json<References>().nullable(),
    createdAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
    /** The provider, or a person, said that the payment is of this payout. */
    payoutId: p.uuid().nullable(),
  },
});

/** A payout that waits for the end of a hold. */
export const PayeeHoldPayoutSchema = defineEntity({
  name: 'PayeeHoldPayout',
  tableName: 'payee_hold_payout',
  properties: {
    payoutId: p.uuid().primary(),
    holdId: p.uuid().primary(),
    createdAt: p.datetime(3),
  },
});
