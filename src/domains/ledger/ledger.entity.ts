import { defineEntity, p } from '@mikro-orm/core';
import { ACCOUNTS, TRANSFER_KINDS } from '../../contracts/ledger.ts';
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
    currency: p.text(),
    /** Minor units. */
    amount: p.bigint('number'),
    referenceId: p.uuid(),
    /** Of `rail_fees`. */
    rail: p.text().$type<Rail>().nullable(),
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
