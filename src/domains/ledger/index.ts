export { lockBalance, lockBalances } from './ledger.queries.ts';
export { type LedgerTransfer, postTransfer } from './post-transfer.ts';
export { type BatchTransfer, postTransfers } from './post-transfers.ts';
export { verifyLedger } from './verify-ledger.ts';
