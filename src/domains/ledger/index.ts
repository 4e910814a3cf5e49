export { type Balance, lockBalance } from './ledger.queries.ts';
export { type LedgerTransfer, postTransfer } from './post-transfer.ts';
export { type LedgerFinding, verifyLedger } from './verify-ledger.ts';
