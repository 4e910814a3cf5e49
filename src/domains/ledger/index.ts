export { lockBalance, lockBalances } from './ledger.queries.ts';
export { type BatchTransfer, type LedgerTransfer, postRailFee, postTransfer, postTransfers } from './post-transfer.ts';
export { verifyLedger } from './verify-ledger.ts';
