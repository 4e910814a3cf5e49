export { journalQuery } from './books.wire.ts';
export { journalCsv } from './journal.queries.ts';
export { lockBalance, lockBalances } from './ledger.queries.ts';
export { type LedgerTransfer, postingWith, postRailFee, postTransfer, postTransfers } from './post-transfer.steps.ts';
export { reopenPeriod } from './use-cases/reopen-period.ts';
export { verifyLedger } from './verify-ledger.queries.ts';
