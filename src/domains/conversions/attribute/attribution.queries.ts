import { LockMode } from '@mikro-orm/core';
import type { AttributionMethod } from '../../../contracts/conversions.ts';
import { after, HOUR_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { compileOnce, type Given, givenOf } from '../../../platform/database/compiled.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf, columnsOf, uncounted } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { findCode } from '../../tracking/index.ts';
import type { ExternalReference } from '../record/sale-input.steps.ts';
import { Sale } from '../sale.entity.ts';
import { type Attribution, type AttributionRules, type CustomerHistory, limitOf } from './attribution.rules.ts';

/** The parts of a sale that its attribution depends on. */
export type SaleFacts = ExternalReference & {
  /** All ids of the customer. */
  customerIds: readonly string[];
  subscriptionId: string | null;
  occurredAt: Date;
};

const referral = compileOnce(({ programId, code }: Given<{ programId: string; code: string }>) =>
  db
    .selectFrom('referral_code as r')
    .innerJoin('affiliate as a', 'a.id', 'r.affiliateId')
    .select('a.id')
    .where('r.code', '=', code)
    .where('a.programId', '=', programId),
);

/** The affiliate of this program with a referral code, blocked or not; null when there is none. */
export const findReferral = async (ctx: Context, programId: string, given: string): Promise<string | null> => {
  const code = findCode(given);
  return code === null ? null : ((await firstRow(ctx.em, referral({ programId, code })))?.id ?? null);
};

/** When an affiliate joined: it never changes. */
export const getJoinedAt = async (ctx: Context, affiliateId: string): Promise<Date> => {
  const found = await firstRow(ctx.em, db.selectFrom('affiliate').select('createdAt').where('id', '=', affiliateId));
  invariant(found, 'affiliates are never deleted');
  return new Date(found.createdAt);
};

export interface HistoryRow {
  hasEarlierSale: boolean;
  firstMatchedAt: string | null;
  hasUnmatchedSales: boolean;
  affiliateId: string | null;
  method: AttributionMethod;
  rule: 'subscription' | 'customer' | 'identification';
  at: string;
  id: string;
}

/** For how long after its recording a sale without a match can be attributed by late evidence. */
const LATE_EVIDENCE_MS = 24 * HOUR_MS;

/** Sales that were recorded since then may still be attributed by late evidence. */
export const lateEvidenceSince = (ctx: Context): Date => after(ctx.clock.now(), -LATE_EVIDENCE_MS);

/** Whether evidence may still attribute a sale that was recorded without a match. */
export const mayBeAttributedLate = (ctx: Context, sale: Sale): boolean =>
  sale.reason === 'NO_MATCH' && sale.createdAt >= lateEvidenceSince(ctx);

/** The caller must hold the lock of the customer. */
export const getCustomerHistory = async (ctx: Context, sale: SaleFacts): Promise<CustomerHistory> =>
  toCustomerHistory(await firstRow(ctx.em, customerHistory(givenOf(historyValues(ctx, sale)))));

/** Times are text. */
interface HistoryValues {
  programId: string;
  externalId: string;
  customerIds: readonly string[];
  subscriptionId: string | null;
  at: string;
  unmatchedSince: string;
}

export const historyValues = (ctx: Context, sale: SaleFacts): HistoryValues => ({
  programId: sale.programId,
  externalId: sale.externalId,
  customerIds: sale.customerIds,
  subscriptionId: sale.subscriptionId,
  at: sale.occurredAt.toISOString(),
  unmatchedSince: lateEvidenceSince(ctx).toISOString(),
});

/**
 * The customer's sales and sign-ups that occurred before this one, or at the same time; of two sales at the same time, the
 * one with the smaller id is earlier. Each part reads one index row for each id of the customer. A template, because a benchmark measures it.
 */
export const customerHistory = ({ at, customerIds, ...sale }: Given<HistoryValues>): RawBuilder<HistoryRow> => {
  const own = sql`unnest(${uncounted(sql`${customerIds}::text[]`)}) as own (id)`;
  const customer = sql`s.program_id = ${sale.programId} and s.customer_id = own.id`;
  const matched = sql`${customer} and s.matched_affiliate_id is not null`;
  const columns = columnsOf<HistoryRow>(['affiliateId', 'method', 'rule', 'at', 'id'], 'last');
  return sql<HistoryRow>`
      select exists (select from ${own}, lateral (select from sale s where ${customer} and s.occurred_at <= ${at}
          and (s.occurred_at < ${at} or s.external_id < ${sale.externalId}) limit 1) as one) as "hasEarlierSale",
        (select min(one.occurred_at) from ${own}, lateral (select s.occurred_at from sale s where ${matched}
          order by s.occurred_at, s.id limit 1) as one) as "firstMatchedAt",
        exists (select from ${own}, lateral (select from sale s where ${customer} and s.reason = 'NO_MATCH'
          and s.created_at >= ${sale.unmatchedSince} limit 1) as one) as "hasUnmatchedSales",
        ${columns}
      from (select 1) as one left join lateral (
        (select one.* from ${own}, lateral (
          select s.matched_affiliate_id as affiliate_id, s.matched_method as method, 'subscription' as rule, s.occurred_at as at, s.id,
            1 as priority from sale s
          where ${matched} and s.subscription_id = ${sale.subscriptionId} and s.occurred_at <= ${at}
          order by s.occurred_at desc, s.id desc limit 1) as one)
        union all
        (select one.* from ${own}, lateral (
          select s.matched_affiliate_id, s.matched_method, 'customer', s.attributed_at, s.id, 2 from sale s
          where ${customer} and s.attributed_at <= ${at} order by s.attributed_at desc, s.id desc limit 1) as one)
        union all
        (select one.* from ${own}, lateral (
          select s.affiliate_id, s.method, 'identification', s.attributed_at, s.id, 2 from customer_identification s
          where ${customer} and s.attributed_at <= ${at} order by s.attributed_at desc, s.id desc limit 1) as one)
        order by priority, at desc, id desc limit 1) as last on true`;
};

export const toCustomerHistory = (found: HistoryRow | null): CustomerHistory => ({
  hasEarlierSale: found?.hasEarlierSale ?? false,
  lastMatch: found ? toAttribution(found) : null,
  firstMatchedAt: found?.firstMatchedAt ? new Date(found.firstMatchedAt) : null,
  hasUnmatchedSales: found?.hasUnmatchedSales ?? false,
});

const toAttribution = ({ affiliateId, method, rule, at, id }: HistoryRow): Attribution | null => {
  if (affiliateId === null) return null;
  return { affiliateId, method, rule, at: new Date(at), [rule === 'identification' ? 'identificationId' : 'saleId']: id };
};

/** Bounds the work of one event. A customer with more sales in a day is a shop's placeholder for many. */
const MAX_LATE_SALES = 100;

/** The sales of a customer that evidence from `since` on may still attribute, earliest first. The caller holds the customer's lock. */
export const lockUnmatchedSales = async (
  ctx: Context,
  { programId, customerIds, since }: { programId: string; customerIds: readonly string[]; since: Date },
): Promise<Sale[]> => {
  const found = await ctx.em.find(
    Sale,
    {
      programId,
      customerId: { $in: [...customerIds] },
      reason: 'NO_MATCH',
      occurredAt: { $gte: since },
      createdAt: { $gte: lateEvidenceSince(ctx) },
    },
    {
      orderBy: { occurredAt: 'asc', externalId: 'asc' },
      limit: MAX_LATE_SALES,
      lockMode: LockMode.PESSIMISTIC_WRITE,
      refresh: true,
    },
  );
  if (found.length === MAX_LATE_SALES)
    ctx.log.warn({ programId, count: found.length }, 'late evidence: too many sales of one customer');
  return found;
};

/** A credited sale that loses its commission to an earlier one. */
export interface SupersededSale {
  conversionId: string;
  affiliateId: string;
  occurredAt: Date;
}

/**
 * Credited sales of a customer that are not due a commission once `first` is the first payment: of a one_time program the next
 * one, approved or not; of a limited program those after the limit that are not approved. What a person credited is due whatever
 * the commission type. Locks the sales, before any balance.
 */
export const lockSupersededSales = async (ctx: Context, rules: AttributionRules, first: SaleFacts): Promise<SupersededSale[]> => {
  const at = first.occurredAt.toISOString();
  const until = limitOf(rules, first.occurredAt);
  const credited = db
    .selectFrom('sale as s')
    .innerJoin('conversion as c', 'c.saleId', 's.id')
    .select(['c.id as conversionId', 'c.affiliateId', 's.occurredAt'])
    .where('s.programId', '=', first.programId)
    .where('s.customerId', '=', anyOf(first.customerIds))
    .where('s.affiliateId', 'is not', null)
    .where('c.status', '<>', sql.lit('rejected'))
    .where(sql<boolean>`s.evidence ->> 'rule' is distinct from 'manual'`)
    .orderBy('s.occurredAt')
    .orderBy('s.externalId')
    .forUpdate('s');
  const superseded = until
    ? credited.where('s.occurredAt', '>=', until.toISOString()).where('c.approvedAt', 'is', null).limit(sql.lit(MAX_LATE_SALES))
    : credited
        .where('s.occurredAt', '>=', at)
        .where(({ eb, or }) => or([eb('s.occurredAt', '>', at), eb('s.externalId', '>', first.externalId)]))
        .limit(sql.lit(1));
  return (await rows(ctx.em, superseded)).map((row) => ({ ...row, occurredAt: new Date(row.occurredAt) }));
};
