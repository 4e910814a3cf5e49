import { LockMode } from '@mikro-orm/core';
import type { AttributionMethod } from '../../contracts/conversions.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import type { Claim, SaleHistory } from './attribution.ts';
import type { Sale } from './sale.entity.ts';
import type { NewSale, SaleAddress } from './sale-input.ts';
import { SaleRefund } from './sale-refund.entity.ts';

const lockText = (ctx: Context, text: string): Promise<number> =>
  execute(ctx.em, sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`);

/** One event about one sale at a time. */
export const lockSale = (ctx: Context, at: SaleAddress): Promise<number> =>
  lockText(ctx, `sale:${at.programId}:${at.provider}:${at.externalId}`);

/** "First payment of a customer" is decided by one sale at a time. */
export const lockCustomer = (ctx: Context, sale: NewSale): Promise<number> =>
  lockText(ctx, `customer:${sale.programId}:${sale.customerId}`);

export const shareProgram = async (ctx: Context, programId: string): Promise<{ currency: string; status: ProgramStatus }> => {
  const program = await firstRow(
    ctx.em,
    sql<{
      currency: string;
      status: ProgramStatus;
    }>`select currency, status from program where id = ${programId}::uuid for share`,
  );
  invariant(program, 'a program is never deleted');
  return program;
};

export const findSale = (ctx: Context, at: SaleAddress) =>
  firstRow(
    ctx.em,
    sql<{ id: string; payloadHash: string; conversionId: string | null }>`
      select s.id, s.payload_hash as "payloadHash", c.id as "conversionId" from sale s left join conversion c on c.sale_id = s.id
      where s.program_id = ${at.programId}::uuid and s.provider = ${at.provider} and s.external_id = ${at.externalId}`,
  );

export const findConversionId = async (ctx: Context, saleId: string): Promise<string | null> =>
  (await firstRow(ctx.em, sql<{ id: string }>`select id from conversion where sale_id = ${saleId}::uuid`))?.id ?? null;

export const findRefund = (ctx: Context, at: SaleAddress): Promise<SaleRefund | null> =>
  ctx.em.findOne(SaleRefund, { programId: at.programId, provider: at.provider, externalId: at.externalId });

const MAX_WAITING = 1_000;

export const waitingRefunds = (ctx: Context, sale: Sale): Promise<SaleRefund[]> =>
  ctx.em.find(
    SaleRefund,
    { programId: sale.programId, provider: sale.provider, externalSaleId: sale.externalId, appliedAt: null },
    { orderBy: { occurredAt: 'asc', id: 'asc' }, limit: MAX_WAITING, lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** An approved affiliate of this program by referral code; blocked ones are credited with nothing new. */
export const referrerOf = async (ctx: Context, programId: string, code: string | undefined): Promise<Claim | null> => {
  if (code === undefined) return null;
  const found = await firstRow(
    ctx.em,
    sql<{ id: string }>`select a.id from referral_code r join affiliate a on a.id = r.affiliate_id
      where r.code = ${code.toLowerCase()} and a.program_id = ${programId}::uuid and a.status = 'approved'`,
  );
  return found && { affiliateId: found.id, method: 'metadata' };
};

export const historyOf = async (ctx: Context, sale: NewSale): Promise<SaleHistory> => {
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
    lastCredit: found?.affiliate && found.method ? { affiliateId: found.affiliate, method: found.method } : null,
    firstCreditedAt: found?.first ? new Date(found.first) : null,
  };
};
