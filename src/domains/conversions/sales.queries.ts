import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import type { Sale } from './sale.entity.ts';
import type { ExternalReference, NewSale } from './sale-input.ts';
import { SaleRefund } from './sale-refund.entity.ts';

const advisoryLock = (ctx: Context, name: string): Promise<number> =>
  execute(ctx.em, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);

/** Serializes the events of one sale until the transaction ends. */
export const lockSale = (ctx: Context, reference: ExternalReference): Promise<number> =>
  advisoryLock(ctx, `sale:${reference.programId}:${reference.provider}:${reference.externalId}`);

/** Serializes the events of one refund until the transaction ends. Taken before the lock of its sale. */
export const lockRefund = (ctx: Context, reference: ExternalReference): Promise<number> =>
  advisoryLock(ctx, `refund:${reference.programId}:${reference.provider}:${reference.externalId}`);

/** Serializes the sales of one customer, so that only one of them can be the first. */
export const lockCustomer = (ctx: Context, sale: NewSale): Promise<number> =>
  advisoryLock(ctx, `customer:${sale.programId}:${sale.customerId}`);

export const findSale = (ctx: Context, reference: ExternalReference) =>
  firstRow(
    ctx.em,
    sql<{ id: string; payloadHash: string; conversionId: string | null }>`
      select s.id, s.payload_hash as "payloadHash", c.id as "conversionId" from sale s left join conversion c on c.sale_id = s.id
      where s.program_id = ${reference.programId}::uuid and s.provider = ${reference.provider} and s.external_id = ${reference.externalId}`,
  );

export const findConversionId = async (ctx: Context, saleId: string): Promise<string | null> =>
  (await firstRow(ctx.em, sql<{ id: string }>`select id from conversion where sale_id = ${saleId}::uuid`))?.id ?? null;

export const findRefund = (ctx: Context, reference: ExternalReference): Promise<SaleRefund | null> =>
  ctx.em.findOne(SaleRefund, { programId: reference.programId, provider: reference.provider, externalId: reference.externalId });

/** Refunds received before their sale, in the order in which they occurred. */
export const findWaitingRefunds = (ctx: Context, sale: Sale, limit: number): Promise<SaleRefund[]> =>
  ctx.em.find(
    SaleRefund,
    { programId: sale.programId, provider: sale.provider, externalSaleId: sale.externalId, appliedAt: null },
    { orderBy: { occurredAt: 'asc', id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** Marks all refunds that still wait for the sale as applied; returns their sum in minor units. */
export const markWaitingRefunds = async (ctx: Context, sale: Sale): Promise<number> => {
  const row = await firstRow(
    ctx.em,
    sql<{ total: number }>`with applied as (
        update sale_refund set applied_at = ${ctx.clock.now().toISOString()}::timestamptz
        where program_id = ${sale.programId}::uuid and provider = ${sale.provider} and external_sale_id = ${sale.externalId}
          and applied_at is null
        returning amount)
      select least(coalesce(sum(amount), 0), ${Number.MAX_SAFE_INTEGER}::bigint)::float8 as total from applied`,
  );
  return row?.total ?? 0;
};
