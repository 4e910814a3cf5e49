import { defineEntity, p } from '@mikro-orm/core';
import type { Rail } from '../../contracts/rails.ts';
import {
  DIFFERENCE_KINDS,
  DIFFERENCE_STATUSES,
  type DifferenceSide,
  RECONCILIATION_PROBLEMS,
  RECONCILIATION_STATUSES,
  RECONCILIATION_TRIGGERS,
  type ReconciliationTotal,
} from '../../contracts/reconciliation.ts';

/** A comparison of our books with what the provider lists of one account. */
export const ReconciliationRunSchema = defineEntity({
  name: 'ReconciliationRun',
  tableName: 'reconciliation_run',
  properties: {
    id: p.uuid().primary(),
    /** Null for an account of the installation. */
    merchantId: p.uuid().nullable(),
    rail: p.text().$type<Rail>(),
    railAccountId: p.uuid().nullable(),
    trigger: p.enum(RECONCILIATION_TRIGGERS),
    status: p.enum(RECONCILIATION_STATUSES),
    /** Null unless it failed. */
    problem: p.enum(RECONCILIATION_PROBLEMS).nullable(),
    since: p.datetime(3),
    until: p.datetime(3),
    /** Everything up to here was certainly in the provider's list. */
    completeUntil: p.datetime(3),
    /** Payments of ours that were compared. */
    payments: p.integer().default(0),
    /** Found and not settled. */
    differences: p.integer().default(0),
    totals: p.json<readonly ReconciliationTotal[]>().default('[]'),
    createdAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
});

/** One payment that differs between our books and the provider's list. If it is found again, it is the same row. */
export const ReconciliationDifferenceSchema = defineEntity({
  name: 'ReconciliationDifference',
  tableName: 'reconciliation_difference',
  properties: {
    id: p.uuid().primary(),
    /** Identifies what differs, and how. */
    fingerprint: p.text(),
    /** Null if nobody knows whose it is, as the account is that of the installation. */
    merchantId: p.uuid().nullable(),
    programId: p.uuid().nullable(),
    rail: p.text().$type<Rail>(),
    railAccountId: p.uuid().nullable(),
    kind: p.enum(DIFFERENCE_KINDS),
    status: p.enum(DIFFERENCE_STATUSES),
    payoutId: p.uuid().nullable(),
    ours: p.json<DifferenceSide>().nullable(),
    theirs: p.json<DifferenceSide>().nullable(),
    /** When the payment was made. */
    occurredAt: p.datetime(3),
    /** Note of the person who resolved it. */
    note: p.text().nullable(),
    linkedPayoutId: p.uuid().nullable(),
    resolvedBy: p.text().nullable(),
    resolvedAt: p.datetime(3).nullable(),
    /** The comparison that found it last. */
    runId: p.uuid(),
    createdAt: p.datetime(3),
    seenAt: p.datetime(3),
  },
});
