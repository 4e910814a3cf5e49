import type { EntityData } from '@mikro-orm/core';
import type { RejectionReason } from '../../../contracts/conversions.ts';
import { type Context, emit } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import type { LedgerTransfer } from '../../ledger/index.ts';
import { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import { Sale } from '../sale.entity.ts';
import { postWithCredit } from './post-with-credit.steps.ts';

/**
 * Takes back those of an affiliate's commissions that are in no payout: one ledger entry and one event each. The second call
 * changes nothing. The caller must hold the locks of the membership and the balance.
 */
export const rejectConversions = async (
  ctx: Context,
  input: { affiliateId: string; ids: readonly string[]; reason: RejectionReason },
): Promise<void> => {
  const conversions = await lockUnpaid(ctx, input);
  if (conversions.length === 0) return;
  const revenue = conversions.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0);
  const rejected = conversions.map((conversion) => ({ conversion, ...takeBack(ctx, conversion) }));
  const earnings = rejected.reduce((sum, { reduction }) => sum + reduction, 0);
  const transfers = rejected.map(({ transfer }) => transfer);
  await postWithCredit(ctx, transfers, { conversions: -rejected.length, revenue: -revenue, earnings: -earnings });
  await announce(ctx, rejected, input.reason);
};

/** A template: whole rows, by the names of their columns, become entities. */
const lockUnpaid = async (
  ctx: Context,
  { affiliateId, ids }: { affiliateId: string; ids: readonly string[] },
): Promise<Conversion[]> => {
  if (ids.length === 0) return [];
  const locked = await rows(
    ctx.em,
    sql<EntityData<Conversion>>`select * from conversion
      where id = ${anyOf(ids)} and affiliate_id = ${affiliateId} and included_in is null
        and status in ('pending','approved','partially_refunded')
      order by id for update`,
  );
  return locked.map((row) => ctx.em.map(Conversion, row));
};

interface Rejected {
  conversion: Conversion;
  reduction: number;
}

const takeBack = (ctx: Context, conversion: Conversion): { reduction: number; transfer: LedgerTransfer } => {
  const isApproved = Boolean(conversion.approvedAt);
  const reduction = conversion.reject(ctx.clock.now());
  const from = isApproved ? 'payable' : 'pending';
  const { id: referenceId, merchantId, programId, affiliateId, currency } = conversion;
  const owner = { merchantId, programId, affiliateId, currency, referenceId };
  return { reduction, transfer: { kind: 'rejection', from, to: 'merchant_expense', amount: reduction, ...owner } };
};

const announce = async (ctx: Context, rejected: readonly Rejected[], reason: RejectionReason): Promise<void> => {
  const sales = await ctx.em.find(Sale, { id: { $in: rejected.map(({ conversion }) => conversion.saleId) } });
  const saleOf = new Map(sales.map((sale) => [sale.id, sale]));
  const events = rejected.map(({ conversion, reduction }) => {
    const { saleId, merchantId, programId } = conversion;
    const sale = saleOf.get(saleId);
    invariant(sale, 'a conversion has a sale');
    const data = { ...toConversionEvent(conversion, sale), refundAmount: 0, commissionReduction: reduction, reason };
    return { type: 'conversion.refunded' as const, merchantId, programId, data };
  });
  await emit(ctx, events);
};
