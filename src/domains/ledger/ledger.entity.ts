import { defineEntity, p } from '@mikro-orm/core';
import { ACCOUNTS, type Account, TRANSFER_KINDS } from '../../contracts/ledger.ts';
import type { Rail } from '../../contracts/rails.ts';

/** Never changed and never removed. */
export const LedgerEntrySchema = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entry',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    transactionId: p.uuid(),
    kind: p.enum(TRANSFER_KINDS),
    account: p.enum(ACCOUNTS),
    ownerId: p.uuid(),
    programId: p.uuid(),
    merchantId: p.uuid(),
    currency: p.text(),
    /** Minor units. */
    amount: p.bigint('number'),
    referenceId: p.uuid(),
    /** The rail that charged the fee, for `rail_fees`. */
    rail: p.text().$type<Rail>().nullable(),
    /** The day in the merchant's time zone, or the first one of the open month: see `booking-date.sql`. */
    bookedOn: p.date(),
    createdAt: p.datetime(3),
  },
});

/** The accounts of one affiliate, in minor units. The database keeps them from falling below their floors. */
export const LedgerBalanceSchema = defineEntity({
  name: 'LedgerBalance',
  tableName: 'ledger_balance',
  properties: {
    affiliateId: p.uuid().primary(),
    programId: p.uuid(),
    merchantId: p.uuid(),
    currency: p.text(),
    pending: p.bigint('number').default(0),
    payable: p.bigint('number').default(0),
    inPayout: p.bigint('number').default(0),
    paid: p.bigint('number').default(0),
    openAdjustments: p.bigint('number').default(0),
  },
});

/** A month of a merchant that was closed. What is posted later is booked in a later one. */
export const LedgerPeriodSchema = defineEntity({
  name: 'LedgerPeriod',
  tableName: 'ledger_period',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** Its first day. */
    month: p.date(),
    /** Null: an operator opened it again. */
    closedAt: p.datetime(3).nullable(),
    closedBy: p.text(),
    /** When the last of its entries and those of earlier months was posted. */
    lastPostedAt: p.datetime(3).nullable(),
  },
});

/** Amounts are in minor units. */
export const LedgerPeriodTotalSchema = defineEntity({
  name: 'LedgerPeriodTotal',
  tableName: 'ledger_period_total',
  properties: {
    merchantId: p.uuid().primary(),
    month: p.date().primary(),
    programId: p.uuid().primary(),
    currency: p.text().primary(),
    account: p.text().$type<Account>().primary(),
    entries: p.bigint('number'),
    amount: p.bigint('number'),
    /** Sum for this month and all months before it. */
    balance: p.bigint('number'),
  },
});
