import type { Context } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { type SaleCredit, saleCredit } from '../../affiliates/index.ts';
import { type LedgerTransfer, postingWith, postTransfers } from '../../ledger/index.ts';

const posting = postingWith((credit: Given<SaleCredit>) => [saleCredit(credit)]);

/** Posts transfers of one affiliate, and adds to the affiliate's totals. */
export const postWithCredit = (ctx: Context, transfers: readonly LedgerTransfer[], credit: SaleCredit): Promise<void> =>
  postTransfers(ctx, transfers, (parameters) => posting({ ...parameters, ...credit }));
