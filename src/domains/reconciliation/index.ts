export { type AccountFilter, type ComparedAccount, listInstallationAccounts, listMerchantAccounts } from './accounts.queries.ts';
export { eraseDifferenceMentions, eraseDifferences } from './erase-differences.steps.ts';
export { listOpenDifferences } from './reconciliation.queries.ts';
export { type ComparisonReport, compareAccount } from './use-cases/compare-account.ts';
export { liftAfterFailover, resumePayments, tellOfHeldPayments } from './use-cases/payments-hold.ts';
export { resolveReconciliationDifference } from './use-cases/resolve-reconciliation-difference.ts';
