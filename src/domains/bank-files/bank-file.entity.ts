import { defineEntity, p } from '@mikro-orm/core';
import { BANK_FILE_STATUSES, BOOKING_PROBLEMS } from '../../contracts/bank-files.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { ImportReport, StoredStatement } from './import-report.rules.ts';

export const BankFileSchema = defineEntity({
  name: 'BankFile',
  tableName: 'bank_file',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    rail: p.text().$type<Rail>(),
    railAccountId: p.uuid(),
    /** Counts the files of the account, without gaps. */
    n: p.integer(),
    /** How the bank names it. */
    messageId: p.text(),
    status: p.enum(BANK_FILE_STATUSES),
    /** A day. */
    executionDate: p.text(),
    isInstant: p.boolean(),
    isSingle: p.boolean(),
    payoutRunId: p.uuid().nullable(),
    payments: p.integer().default(0),
    total: p.bigint('number').default(0),
    currency: p.text(),
    /** SHA-256 of the bytes, in hexadecimal digits. Null while it is being made. */
    digest: p.text().nullable(),
    /** Ciphertext of the bytes. Null while it is being made, and after an erasure. */
    content: p.text().nullable(),
    /** What the bank said last about all of it. */
    bankState: p.text().nullable(),
    bankStateAt: p.datetime(3).nullable(),
    /** When the bank first accepted any of it. It is never discarded after that. */
    acceptedAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    readyAt: p.datetime(3).nullable(),
    downloads: p.integer().default(0),
    downloadedBy: p.array().$type<string[]>().columnType('text[]').default([]),
    downloadedAt: p.datetime(3).nullable(),
    /** When it was promised to the program that carries files to the bank: from then on it could be there. */
    handedOverAt: p.datetime(3).nullable(),
    /** When it stood in the folder of that program. */
    outboxAt: p.datetime(3).nullable(),
    /** When somebody last worked on it: what was left unfinished is gone on with. */
    workedAt: p.datetime(3),
    discardedBy: p.text().nullable(),
    discardedAt: p.datetime(3).nullable(),
    discardNote: p.text().nullable(),
  },
});

/** A payment of a file. */
export const BankFileLineSchema = defineEntity({
  name: 'BankFileLine',
  tableName: 'bank_file_line',
  properties: {
    id: p.uuid().primary(),
    fileId: p.uuid(),
    position: p.integer(),
    payoutId: p.uuid(),
    attemptId: p.uuid(),
    amount: p.bigint('number'),
    /** What the bank said last about it, and why. */
    state: p.text().nullable(),
    reason: p.text().nullable(),
    payeeCheck: p.text().nullable(),
    /** Ciphertext of the name that the bank suggests. Null after an erasure. */
    suggestedName: p.text().nullable(),
    changedAt: p.datetime(3).nullable(),
  },
});

/** A file of a bank, as it was imported. The same one twice is one row. */
export const BankStatementSchema = defineEntity({
  name: 'BankStatement',
  tableName: 'bank_statement',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    digest: p.text(),
    kind: p.enum(['status', 'statement']),
    messageId: p.text().nullable(),
    isApplied: p.boolean().default(false),
    report: p.json<ImportReport>(),
    statements: p.json<StoredStatement[]>(),
    importedBy: p.text(),
    createdAt: p.datetime(3),
  },
});

/** A movement of an account. Names nobody: of what is not ours, only day and amount are kept. */
export const BankBookingSchema = defineEntity({
  name: 'BankBooking',
  tableName: 'bank_booking',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    railAccountId: p.uuid(),
    key: p.text(),
    entryRef: p.text().nullable(),
    /** A day. */
    bookedOn: p.text(),
    direction: p.enum(['debit', 'credit']),
    isReversal: p.boolean(),
    isReturn: p.boolean(),
    amount: p.bigint('number'),
    currency: p.text(),
    idempotencyKey: p.text().nullable(),
    reason: p.text().nullable(),
    payoutId: p.uuid().nullable(),
    /** The file that it is the sum of. */
    fileId: p.uuid().nullable(),
    problem: p.enum(BOOKING_PROBLEMS).nullable(),
    createdAt: p.datetime(3),
  },
});
