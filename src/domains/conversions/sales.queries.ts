import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import type { StoredEvidence } from './customer-identification.entity.ts';
import { Sale } from './sale.entity.ts';
import type { ExternalReference, SaleEvidence } from './sale-input.ts';
import { SaleRefund } from './sale-refund.entity.ts';

/** The name of the lock that serializes the events of one sale. Taken before that of its customer. */
export const saleLock = (reference: ExternalReference): string =>
  `sale:${reference.programId}:${reference.provider}:${reference.externalId}`;

/** Serializes the events of one sale until the transaction ends. */
export const lockSale = (ctx: Context, reference: ExternalReference): Promise<number> => lockName(ctx, saleLock(reference));

/** Serializes the events of one refund until the transaction ends. Taken before the lock of its sale. */
export const lockRefund = (ctx: Context, reference: ExternalReference): Promise<number> =>
  lockName(ctx, `refund:${reference.programId}:${reference.provider}:${reference.externalId}`);

/**
 * The name of the lock that serializes the attribution of one customer, so that only one sale can be the first. Taken before the
 * row of any sale.
 */
export const customerLock = (customer: { programId: string; customerId: string }): string =>
  `customer:${customer.programId}:${customer.customerId}`;

/** Conditions for a sale, or with `external_sale_id` for what refers to it. */
const isSale = ({ programId, provider, externalId }: ExternalReference, column: 'external_id' | 'external_sale_id') =>
  sql`program_id = ${programId}::uuid and provider = ${provider} and ${sql.ref(column)} = ${externalId}`;

/** A sale as it is stored, and what was received before it. */
export interface KnownSale {
  /** Null: the sale was not received. */
  id: string | null;
  payloadHash: string | null;
  customerId: string | null;
  conversionId: string | null;
  evidence: SaleEvidence;
  hasRefunds: boolean;
  cumulativeRefund: CumulativeRefund | null;
  disputedAt: Date | null;
}

/** Amounts are minor units with tax. `chargedGross`: null when only the sale says it. */
export interface CumulativeRefund {
  refundedGross: number;
  chargedGross: number | null;
}

export interface KnownSaleRow extends Omit<KnownSale, 'evidence' | 'cumulativeRefund' | 'disputedAt'> {
  evidence: StoredEvidence | null;
  refundedGross: number | null;
  chargedGross: number | null;
  disputedAt: string | null;
}

/** The caller must hold the lock of the sale. */
export const findKnownSale = async (ctx: Context, reference: ExternalReference): Promise<KnownSale> =>
  toKnownSale(await firstRow(ctx.em, knownSale(reference)));

/** The statement of `findKnownSale`. */
export const knownSale = (reference: ExternalReference): RawBuilder<KnownSaleRow> => {
  const isOfSale = isSale(reference, 'external_sale_id');
  return sql<KnownSaleRow>`
      select s.id, s.payload_hash as "payloadHash", s.customer_id as "customerId", c.id as "conversionId",
        (select evidence from sale_evidence where ${isOfSale}) as evidence,
        exists (select from sale_refund where ${isOfSale} and applied_at is null) as "hasRefunds",
        r.refunded_gross::float8 as "refundedGross", r.charged_gross::float8 as "chargedGross",
        (${openDisputeSince(reference)}) as "disputedAt"
      from (select 1) as one
      left join (select * from sale where ${isSale(reference, 'external_id')}) s on true
      left join conversion c on c.sale_id = s.id
      left join (select * from sale_cumulative_refund where ${isOfSale}) r on true`;
};

export const toKnownSale = (row: KnownSaleRow | null): KnownSale => {
  const { evidence, refundedGross, chargedGross, disputedAt, ...known } = row ?? EMPTY;
  return {
    ...known,
    evidence: evidence ? { ...evidence, attributedAt: evidence.attributedAt ? new Date(evidence.attributedAt) : undefined } : {},
    cumulativeRefund: refundedGross === null ? null : { refundedGross, chargedGross },
    disputedAt: disputedAt === null ? null : new Date(disputedAt),
  };
};

const EMPTY: KnownSaleRow = {
  id: null,
  payloadHash: null,
  customerId: null,
  conversionId: null,
  evidence: null,
  hasRefunds: false,
  refundedGross: null,
  chargedGross: null,
  disputedAt: null,
};

/** When the oldest open dispute of a sale began. */
export const openDisputeSince = (reference: ExternalReference) =>
  sql<{ disputedAt: string | null }>`select min(opened_at) as "disputedAt" from sale_dispute
    where ${isSale(reference, 'external_sale_id')} and status = 'opened'`;

/** The row of a sale, locked after the advisory lock that its events take; null when it was not received. */
export const lockSaleRow = ({ em }: Context, { programId, provider, externalId }: ExternalReference): Promise<Sale | null> =>
  em.findOne(Sale, { programId, provider, externalId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

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
        where ${isSale(sale, 'external_sale_id')} and applied_at is null
        returning amount)
      select least(coalesce(sum(amount), 0), ${Number.MAX_SAFE_INTEGER}::bigint)::float8 as total from applied`,
  );
  return row?.total ?? 0;
};
