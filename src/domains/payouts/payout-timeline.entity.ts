import { defineEntity, p } from '@mikro-orm/core';
import { PAYOUT_TIMELINE_TYPES, type PayoutStatus, RAIL_OUTCOMES } from '../../contracts/payouts.ts';

/** Kept for ever: workflow history expires, the timeline does not. */
export const PayoutTimelineSchema = defineEntity({
  name: 'PayoutTimeline',
  tableName: 'payout_timeline',
  properties: {
    id: p.uuid().primary(),
    /** The order of writing: entries of one payout are written under its lock. */
    seq: p.bigint('number').autoincrement().generated('identity'),
    payoutId: p.uuid(),
    at: p.datetime(3),
    type: p.enum(PAYOUT_TIMELINE_TYPES),
    actor: p.text(),
    fromStatus: p.text().$type<PayoutStatus>().nullable(),
    toStatus: p.text().$type<PayoutStatus>().nullable(),
    attempt: p.integer().nullable(),
    outcome: p.enum(RAIL_OUTCOMES).nullable(),
    railReference: p.text().nullable(),
    reason: p.text().nullable(),
    note: p.text().nullable(),
    reminder: p.integer().nullable(),
    workflowId: p.text().nullable(),
    runId: p.text().nullable(),
  },
});

/** Look-ups that repeated the result of the timeline entry before them: timeline rows are never changed. */
export const PayoutStatusCheckSchema = defineEntity({
  name: 'PayoutStatusCheck',
  tableName: 'payout_status_check',
  properties: {
    entryId: p.uuid().primary(),
    times: p.integer(),
    lastAt: p.datetime(3),
  },
});
