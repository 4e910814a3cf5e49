export { type Balance, lockBalance } from './ledger.queries.ts';
export { type Movement, move } from './use-cases/move-money.ts';
export { type LedgerFinding, verifyLedger } from './verify-ledger.ts';
