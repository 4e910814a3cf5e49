import { defineEntity, p } from '@mikro-orm/core';
import { RAIL_STATUSES, RESOLUTIONS } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { References, TransferRecord } from './rails/answer.ts';

/** A provider or a person reported both paid and failed for one attempt. Open until somebody resolves it. */
export const PayoutContradictionSchema = defineEntity({
  name: 'PayoutContradiction',
  tableName: 'payout_contradiction',
  properties: {
    payoutId: p.uuid().primary(),
    n: p.integer().primary(),
    attemptId: p.uuid(),
    recorded: p.enum(['paid', 'failed', 'returned']),
    reported: p.enum(['accepted', 'paid', 'failed']),
    openedAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    resolution: p.enum(RESOLUTIONS).nullable(),
    note: p.text().nullable(),
    resolvedBy: p.text().nullable(),
  },
});

export const RailNotificationSchema = defineEntity({
  name: 'RailNotification',
  tableName: 'rail_notification',
  properties: {
    id: p.uuid().primary(),
    rail: p.text().$type<Rail>(),
    /** The provider's id of the notice, after that of the merchant where it is about an account of one. */
    externalId: p.text(),
    /** Null while no attempt has the key. */
    attemptId: p.uuid().nullable(),
    payoutId: p.uuid().nullable(),
    idempotencyKey: p.text(),
    /** Null: it says no more than that something happened. */
    status: p.enum(RAIL_STATUSES).nullable(),
    /** It says too little to be booked. */
    isHint: p.boolean().default(false),
    /** The provider's own word. */
    state: p.text().nullable(),
    railReferences: p.json<References>().nullable(),
    /** Whose account at the provider it is about. Null: that of the installation. */
    merchantId: p.uuid().nullable(),
    railReference: p.text().nullable(),
    failureCode: p.text().nullable(),
    record: p.json<TransferRecord>().nullable(),
    occurredAt: p.datetime(3),
    receivedAt: p.datetime(3),
    handledAt: p.datetime(3).nullable(),
    effect: p.enum(['applied', 'stale', 'repeated']).nullable(),
  },
});
