import { LockMode } from '@mikro-orm/core';
import type { SaleProblemReason } from '../../../contracts/conversions.ts';
import { wholeSecond } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../../platform/database/sql.ts';
import { columnsOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import type { AttributionRecord } from '../attribute/attribution.rules.ts';
import type { AttributionColumns } from '../attribute/sale-attribution.steps.ts';
import { Conversion } from '../conversion.entity.ts';
import type { StoredEvidence } from '../customer-identification.entity.ts';
import { Sale } from '../sale.entity.ts';
import { SaleRefund } from '../sale-refund.entity.ts';
import type { ExternalReference, NewSale, SaleEvidence } from './sale-input.steps.ts';

/** The name of the lock that serializes the events of one sale. Taken before that of its customer. */
export const saleLock = (reference: ExternalReference): string =>
  `sale:${reference.programId}:${reference.provider}:${reference.externalId}`;

/** Serializes the events of one sale until the transaction ends. */
export const lockSale = (ctx: Context, reference: ExternalReference): Promise<number> => lockName(ctx, saleLock(reference));

/** Serializes the events of one refund until the transaction ends. Taken before the lock of its sale. */
export const lockRefund = (ctx: Context, reference: ExternalReference): Promise<number> =>
  lockName(ctx, `refund:${reference.programId}:${reference.provider}:${reference.externalId}`);

type Reference = ExternalReference | Given<ExternalReference>;

/** Conditions for a sale, or with `external_sale_id` for what refers to it. */
const isSale = ({ programId, provider, externalId }: Reference, column: 'external_id' | 'external_sale_id') =>
  sql<boolean>`program_id = ${programId} and provider = ${provider} and ${sql.ref(column)} = ${externalId}`;

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

/** The statement of `findKnownSale`. A template, as others of the recording of a sale, which a benchmark measures. */
export const knownSale = (reference: Reference): RawBuilder<KnownSaleRow> => {
  const isOfSale = isSale(reference, 'external_sale_id');
  return sql<KnownSaleRow>`
      select ${columnsOf<KnownSaleRow>(['id', 'payloadHash', 'customerId'], 's')}, c.id as "conversionId",
        (select evidence from sale_evidence where ${isOfSale}) as evidence,
        exists (select from sale_refund where ${isOfSale} and applied_at is null and refused_at is null and reversed_at is null) as "hasRefunds",
        ${columnsOf<KnownSaleRow>(['refundedGross', 'chargedGross'], 'r')}, (${openDisputeSince(reference)}) as "disputedAt"
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
export const openDisputeSince = (reference: Reference) =>
  db
    .selectFrom('sale_dispute')
    .select(({ fn }) => fn.min<string | null>('openedAt').as('disputedAt'))
    .where(isSale(reference, 'external_sale_id'))
    .where('status', '=', 'opened');

/** Whether a reported dispute outweighs the one of `known`: an end is final, and a loss outweighs any other. */
export const outweighsDispute = (known: 'sale_dispute' | 'stripe_dispute') => {
  const status = sql.ref(`${known}.status`);
  return sql<boolean>`(${status} = 'opened' and excluded.status <> 'opened')
    or (${status} = 'closed' and excluded.status = 'lost')`;
};

/** What is stored of a sale that was not received before. Documents are text. */
export type SaleRow = Omit<NewSale, 'metadata' | 'stripeCustomerId'> &
  AttributionColumns & {
    id: string;
    merchantId: string;
    metadata: string | null;
    evidence: string;
    disputedAt: Date | null;
    createdAt: Date;
  };

export const newSale = compileOnce(({ metadata, evidence, ...sale }: Given<SaleRow>) =>
  db.insertInto('sale').values({
    ...sale,
    metadata: sql<Record<string, string>>`${metadata}`,
    evidence: sql<AttributionRecord>`${evidence}`,
  }),
);

/** The row of a sale, locked after the advisory lock that its events take; null when it was not received. */
export const lockSaleRow = ({ em }: Context, { programId, provider, externalId }: ExternalReference): Promise<Sale | null> =>
  em.findOne(Sale, { programId, provider, externalId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/** The conversion of a credited sale, locked after the balance of its affiliate. */
export const lockConversionRow = ({ em }: Context, saleId: string): Promise<Conversion> =>
  em.findOneOrFail(Conversion, { saleId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

export const findConversionId = async (ctx: Context, saleId: string): Promise<string | null> =>
  (await firstRow(ctx.em, db.selectFrom('conversion').select('id').where('saleId', '=', saleId)))?.id ?? null;

export const findRefund = (ctx: Context, { programId, provider, externalId }: ExternalReference): Promise<SaleRefund | null> =>
  ctx.em.findOne(SaleRefund, { programId, provider, externalId });

/** Refunds received before their sale, in the order in which they occurred. */
export const lockWaitingRefunds = (ctx: Context, sale: Sale, limit: number): Promise<SaleRefund[]> =>
  ctx.em.find(
    SaleRefund,
    {
      programId: sale.programId,
      provider: sale.provider,
      externalSaleId: sale.externalId,
      appliedAt: null,
      refusedAt: null,
      reversedAt: null,
    },
    { orderBy: { occurredAt: 'asc', id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** Marks all refunds that still wait for the sale as applied; returns their sum in minor units. */
export const markWaitingRefunds = async (ctx: Context, sale: Sale): Promise<number> => {
  const row = await firstRow(
    ctx.em,
    db
      .with('applied', (cte) =>
        cte
          .updateTable('sale_refund')
          .set({ appliedAt: ctx.clock.now().toISOString() })
          .where(isSale(sale, 'external_sale_id'))
          .where('appliedAt', 'is', null)
          .where('refusedAt', 'is', null)
          .where('reversedAt', 'is', null)
          .returning('amount'),
      )
      .selectFrom('applied')
      .select(sql<number>`least(coalesce(sum(amount), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})`.as('total')),
  );
  return row?.total ?? 0;
};

/** Refunds that waited for the sale and are dated before it are not applied: each is a problem for a person. Returns their number. */
export const refuseEarlyRefunds = (ctx: Context, sale: Sale): Promise<number> => {
  const now = ctx.clock.now().toISOString();
  const problem: SaleProblemReason = 'BEFORE_SALE';
  return execute(
    ctx.em,
    db
      .with('refused', (cte) =>
        cte
          .updateTable('sale_refund')
          .set({ refusedAt: now })
          .where(isSale(sale, 'external_sale_id'))
          .where('appliedAt', 'is', null)
          .where('reversedAt', 'is', null)
          .where('occurredAt', '<', wholeSecond(sale.occurredAt).toISOString())
          .returning(['id', 'externalId']),
      )
      .insertInto('sale_problem')
      .columns(['id', 'merchantId', 'eventId', 'eventType', 'objectId', 'reason', 'createdAt'])
      .expression(({ selectFrom, val }) =>
        selectFrom('refused').select([
          'id',
          sql<string>`${sale.merchantId}::uuid`.as('merchantId'),
          sql<string>`${`${sale.programId}:`} || external_id`.as('eventId'),
          sql<string>`'sale.refunded'`.as('eventType'),
          val(sale.externalId).as('objectId'),
          val(problem).as('reason'),
          sql<string>`${now}::timestamptz`.as('createdAt'),
        ]),
      ),
  );
};
