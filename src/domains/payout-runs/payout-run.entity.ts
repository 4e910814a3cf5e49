import { defineEntity, p } from '@mikro-orm/core';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import {
  type LeftOutReason,
  PAYMENT_FILE_FORMATS,
  PAYOUT_RUN_STATUSES,
  type PayoutRunStatus,
  RUN_CANCEL_REASONS,
  RUN_ITEM_RESULTS,
} from '../../contracts/payout-runs.ts';
import type { Rail } from '../../contracts/rails.ts';
import { set } from '../../platform/database/set.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';

export const PayoutRunSchema = defineEntity({
  name: 'PayoutRun',
  tableName: 'payout_run',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** Null: all programs. */
    programId: p.uuid().nullable(),
    /** Null: all methods. */
    method: p.enum(PAYOUT_METHODS).nullable(),
    /** Minor units; raises the threshold of programs, never lowers it. */
    minAmount: p.bigint('number').nullable(),
    name: p.text().nullable(),
    executionDate: p.date().nullable(),
    /** Period of a scheduled run. */
    period: p.text().nullable(),
    status: p.enum(PAYOUT_RUN_STATUSES).onCreate(() => 'draft'),
    /** Set for `cancelled` only. */
    cancelReason: p.enum(RUN_CANCEL_REASONS).nullable(),
    /** Commissions and adjustments that were payable then are paid, no later ones. */
    asOf: p.datetime(3),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    /** Who took an affiliate out of the draft. */
    editedBy: p.array().$type<string[]>().default([]),
    /** Minor units by currency and number of what the draft does not leave out: what is confirmed. */
    total: p.json().$type<AmountsByCurrency>(),
    items: p.integer(),
    confirmedBy: p.text().nullable(),
    confirmedAt: p.datetime(3).nullable(),
    approvedBy: p.text().nullable(),
    approvedAt: p.datetime(3).nullable(),
    /** Mails that reminded of a needed approval. */
    approvalReminders: p.integer().default(0),
    /** Null unless it is paused. */
    pausedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3).onCreate((run) => run.createdAt),
    /** The workflow run that shows it, and whether that was terminated before it showed the end. */
    runId: p.uuid().nullable(),
    runLost: p.boolean().default(false),
    /** Set by a trigger. */
    version: p.integer().default(1),
  },
});

/** Pays many affiliates after one look at what it will pay. */
export class PayoutRun extends PayoutRunSchema.class {
  isFinal(): boolean {
    return this.status === 'completed' || this.status === 'cancelled';
  }

  /** What is left of the draft without some of its items. */
  shrinkTo({ total, items }: Pick<PayoutRun, 'total' | 'items'>, actor: string, now: Date): void {
    set<PayoutRun>(this, { total, items, editedBy: [...new Set([...this.editedBy, actor])], updatedAt: now });
  }

  /** The rules are those of `decideRun`. */
  become(status: PayoutRunStatus, now: Date): void {
    set<PayoutRun>(this, { status, pausedAt: status === 'paused' ? now : null, updatedAt: now });
    if (this.isFinal()) this.finishedAt = now;
  }
}

PayoutRunSchema.setClass(PayoutRun);

export const PayoutRunItemSchema = defineEntity({
  name: 'PayoutRunItem',
  tableName: 'payout_run_item',
  properties: {
    runId: p.uuid().primary(),
    affiliateId: p.uuid().primary(),
    programId: p.uuid(),
    currency: p.text(),
    /** The amount that the draft shows: no more than this is paid. Minor units. */
    amount: p.bigint('number'),
    method: p.enum(PAYOUT_METHODS).nullable(),
    rail: p.text().$type<Rail>().nullable(),
    /** Masked. Null without details, and after an erasure, as the hash. */
    destination: p.text().nullable(),
    /** Keyed, of the details in clear: compared when its turn comes. */
    destinationHash: p.text().nullable(),
    result: p.enum(RUN_ITEM_RESULTS),
    /** Set for `left_out` only. */
    reason: p.text().$type<LeftOutReason>().nullable(),
    payoutId: p.uuid().nullable(),
    /** Amount of the payout when it was created. */
    paidAmount: p.bigint('number').nullable(),
    /** How often its payout could not be created because of an error of ours. */
    tries: p.integer().default(0),
  },
});

/** Payouts of a run that somebody confirmed as paid by their digest, before the first of them was marked. */
export const PayoutRunConfirmationSchema = defineEntity({
  name: 'PayoutRunConfirmation',
  tableName: 'payout_run_confirmation',
  properties: {
    runId: p.uuid().primary(),
    digest: p.text().primary(),
    payoutIds: p.array().$type<string[]>().columnType('uuid[]'),
    createdBy: p.text(),
    createdAt: p.datetime(3),
  },
});

/** The payouts of one reading of payment files. */
export const PayoutRunFileSchema = defineEntity({
  name: 'PayoutRunFile',
  tableName: 'payout_run_file',
  properties: {
    id: p.uuid().primary(),
    runId: p.uuid(),
    format: p.enum(PAYMENT_FILE_FORMATS),
    payoutIds: p.array().$type<string[]>().columnType('uuid[]'),
    createdBy: p.text(),
    createdAt: p.datetime(3),
  },
});
