import { LockMode } from '@mikro-orm/core';
import type { AttributionMethod } from '../../contracts/conversions.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import type { Attribution, CustomerHistory } from './attribution.ts';
import type { Sale } from './sale.entity.ts';
import type { ExternalReference, NewSale } from './sale-input.ts';
import { SaleRefund } from './sale-refund.entity.ts';

const advisoryLock = (ctx: Context, name: string): Promise<number> =>
  execute(ctx.em, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);

/** Serializes the events of one sale until the transaction ends. */
export const lockSale = (ctx: Context, reference: ExternalReference): Promise<number> =>
  advisoryLock(ctx, `sale:${reference.programId}:${reference.provider}:${reference.externalId}`);

/** Serializes the sales of one customer, so that only one of them can be the first. */
export const lockCustomer = (ctx: Context, sale: NewSale): Promise<number> =>
  advisoryLock(ctx, `customer:${sale.programId}:${sale.customerId}`);

/** The program under a shared lock: its currency cannot change before the transaction ends. */
export const lockProgramShared = async (
  ctx: Context,
  programId: string,
): Promise<{ currency: string; status: ProgramStatus }> => {
  const program = await firstRow(
    ctx.em,
    sql<{
      currency: string;
      status: ProgramStatus;
    }>`select currency, status from program where id = ${programId}::uuid for share`,
  );
  invariant(program, 'programs are never deleted');
  return program;
};

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

const MAX_WAITING_REFUNDS = 1_000;

/** Refunds received before their sale, in the order in which they occurred. */
export const findWaitingRefunds = (ctx: Context, sale: Sale): Promise<SaleRefund[]> =>
  ctx.em.find(
    SaleRefund,
    { programId: sale.programId, provider: sale.provider, externalSaleId: sale.externalId, appliedAt: null },
    { orderBy: { occurredAt: 'asc', id: 'asc' }, limit: MAX_WAITING_REFUNDS, lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** The affiliate of this program with a referral code; null when there is none or the affiliate is blocked. */
export const findReferral = async (ctx: Context, programId: string, code: string | undefined): Promise<Attribution | null> => {
  if (code === undefined) return null;
  const found = await firstRow(
    ctx.em,
    sql<{ id: string }>`select a.id from referral_code r join affiliate a on a.id = r.affiliate_id
      where r.code = ${code.toLowerCase()} and a.program_id = ${programId}::uuid and a.status = 'approved'`,
  );
  return found && { affiliateId: found.id, method: 'metadata' };
};

/** Earlier sales of the customer. Attributions to affiliates who are blocked now do not count as the last one. */
export const getCustomerHistory = async (ctx: Context, sale: NewSale): Promise<CustomerHistory> => {
  const found = await firstRow(
    ctx.em,
    sql<{ sales: number; first: string | null; affiliate: string | null; method: AttributionMethod | null }>`
      select count(*)::int as sales, min(s.occurred_at) filter (where s.affiliate_id is not null) as first,
        (array_agg(s.affiliate_id order by s.occurred_at desc, s.id desc) filter (where a.status = 'approved'))[1] as affiliate,
        (array_agg(s.method order by s.occurred_at desc, s.id desc) filter (where a.status = 'approved'))[1] as method
      from sale s left join affiliate a on a.id = s.affiliate_id
      where s.program_id = ${sale.programId}::uuid and s.customer_id = ${sale.customerId}`,
  );
  return {
    sales: found?.sales ?? 0,
    lastAttribution: found?.affiliate && found.method ? { affiliateId: found.affiliate, method: found.method } : null,
    firstAttributedAt: found?.first ? new Date(found.first) : null,
  };
};
