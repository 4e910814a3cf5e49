import { defineEntity, p } from '@mikro-orm/core';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { type FailureCode, PAYOUT_STATUSES, type ReviewReason } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import { foldText } from '../../platform/search-text.ts';
import type { ShownFee } from './rails/fees.rules.ts';

export const PayoutSchema = defineEntity({
  name: 'Payout',
  tableName: 'payout',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    profileId: p.uuid(),
    /** The affiliate's code and name and the program's name when it was created. */
    affiliateCode: p.text().default(''),
    affiliateName: p.text().nullable(),
    programName: p.text().default(''),
    /** Code, name and references in lower case, one per line. */
    searchText: p.text().default(''),
    /** Reference such as NW-1042: people, files and bank lines name the payout by it. Never changes. */
    paymentReference: p.text().defaultRaw(`('PAY-'::text || nextval('payment_number'::regclass))`),
    amount: p.bigint('number'),
    currency: p.text(),
    status: p.enum(PAYOUT_STATUSES).onCreate(() => 'pending'),
    method: p.enum(PAYOUT_METHODS),
    rail: p.text().$type<Rail>(),
    /** Payout details, encrypted at creation: a later change does not redirect a payout in progress. Null after an erasure. */
    details: p.text().nullable(),
    /** Keyed, of the account: payouts with the same one paid to one account. Null after an erasure, and of old ones. */
    destinationHash: p.text().nullable(),
    /** Actor of the merchant who entered the account. Null: the affiliate did, or it is not known. */
    accountEnteredBy: p.text().nullable(),
    accountEnteredAt: p.datetime(3).nullable(),
    notes: p.text().nullable(),
    /** Whether the threshold was lifted for it; a retry keeps that. */
    belowThreshold: p.boolean().default(false),
    retryOf: p.uuid().nullable(),
    /** Null: created alone. */
    payoutRunId: p.uuid().nullable(),
    needsAttention: p.boolean().default(false),
    /** Null unless `needsAttention`. */
    reviewReason: p.text().$type<ReviewReason>().nullable(),
    attentionSince: p.datetime(3).nullable(),
    failureCode: p.text().$type<FailureCode>().nullable(),
    /** The provider's own code for a failure or a return, an open set. */
    railReason: p.text().nullable(),
    /** What the provider charged in the payout's currency and did not give back, as booked. Null while it reported none. */
    fee: p.bigint('number').nullable(),
    /** All that is booked, by currency. Null: no more than `fee`. */
    fees: p.json<readonly ShownFee[]>().nullable(),
    /** For a manual payment, the bank's reference and when it was executed. */
    bankReference: p.text().nullable(),
    executedAt: p.datetime(3).nullable(),
    /** When the provider paid it, as it says. */
    railPaidAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    /** Null: nobody has to approve it. */
    approvalRequiredAt: p.datetime(3).nullable(),
    approvedBy: p.text().nullable(),
    approvedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    processingAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    failedAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3).onCreate((payout) => payout.createdAt),
    /** The workflow run that shows it, and whether that was terminated before it showed the end. */
    runId: p.uuid().nullable(),
    runLost: p.boolean().default(false),
    /** Set by a trigger. */
    version: p.integer().default(1),
  },
});

/** Everything payable to one affiliate in one program at one moment, and the outcome of paying it. `machine` decides what it becomes. */
export class Payout extends PayoutSchema.class {
  /** A search finds it by how the bank or the rail names the payment, or its return. */
  addReference(reference: string | null | undefined): void {
    if (!this.hasReference(reference)) this.searchText += `\n${foldText(reference ?? '')}`;
  }

  /** True as well if both have none. */
  hasReference(reference: string | null | undefined): boolean {
    const line = foldText(reference ?? '');
    return line === '' || this.searchText.split('\n').includes(line);
  }
}

PayoutSchema.setClass(Payout);

export const PayoutItemSchema = defineEntity({
  name: 'PayoutItem',
  tableName: 'payout_item',
  properties: {
    payoutId: p.uuid().primary(),
    kind: p.enum(['commission', 'adjustment']).primary(),
    subjectId: p.uuid().primary(),
    amount: p.bigint('number'),
    active: p.boolean().default(true),
  },
});

/** The page of a payment as it was first given out. A payout may be paid, come back, and be paid after all. */
export const PayoutRemittanceSchema = defineEntity({
  name: 'PayoutRemittance',
  tableName: 'payout_remittance',
  properties: {
    payoutId: p.uuid().primary(),
    completedAt: p.datetime(3).primary(),
    /** Null after an erasure. */
    html: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});
