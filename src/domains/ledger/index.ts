export { type Balance, lockBalance } from './ledger.queries.ts';
export { verifyLedger, type LedgerFinding } from './verify-ledger.ts';
export { type Movement, move } from './use-cases/move-money.ts';
