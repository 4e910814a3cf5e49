export { type PayableItem, payableItems, since } from './conversions.queries.ts';
export { releaseCommissions } from './use-cases/release-commissions.ts';
