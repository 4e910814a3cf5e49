import type { PayoutStatus } from '../../../contracts/payouts.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { expressionBuilder, type RawBuilder, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { searchPatternOf } from '../../../platform/search-text.ts';
import { countedTotal } from '../../merchants/index.ts';
import { db, type Tables } from '../../tables.ts';
import { paidAtIn } from '../manual/payment-time.steps.ts';
import type { PayoutRecord } from '../payout-record.wire.ts';
import { SITUATION, toPayoutRecord } from '../payout-situation.queries.ts';
import { PAYOUT } from '../payouts.queries.ts';

export interface PayoutFilter {
  programId?: string | undefined;
  affiliateId?: string | undefined;
  status?: PayoutStatus | undefined;
  needsAttention?: boolean | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  paidFrom?: string | undefined;
  paidTo?: string | undefined;
  /** Lower case. */
  code?: string | undefined;
  name?: string | undefined;
  reference?: string | undefined;
  q?: string | undefined;
}

/** Values of the statement: searches are patterns, and `needsAttention` is a part of its text. */
export interface PayoutValues extends Omit<PayoutFilter, 'needsAttention' | 'name' | 'q'> {
  merchantId: string;
  namePattern?: string | undefined;
  pattern?: string | undefined;
}

export const payoutValuesOf = (merchantId: string, filter: PayoutFilter): PayoutValues => ({
  merchantId,
  programId: filter.programId,
  affiliateId: filter.affiliateId,
  status: filter.status,
  startDate: filter.startDate,
  endDate: filter.endDate,
  paidFrom: filter.paidFrom,
  paidTo: filter.paidTo,
  code: filter.code,
  reference: filter.reference,
  namePattern: filter.name === undefined ? undefined : searchPatternOf(filter.name),
  pattern: filter.q === undefined ? undefined : searchPatternOf(filter.q),
});

const PAID_AT = paidAtIn('');

const eb = expressionBuilder<Tables, 'payout'>();

/** A link's slug leads to no payout. */
const affiliateOf = (code: RawBuilder<string>) =>
  sql<string>`(select a.id from referral_code r join affiliate a on a.id = r.affiliate_id
    where r.code = ${code} and (r.link_id is null or a.code = r.code))`;

/** An array: what has the reference is read first, and not the payouts of everybody. */
const payoutsOf = (merchantId: RawBuilder<string>, reference: RawBuilder<string>) =>
  sql<readonly string[]>`array(
    select id from payout where merchant_id = ${merchantId} and lower(bank_reference) = lower(${reference})
    union select id from payout where payment_reference = upper(${reference})
    union select payout_id from payout_attempt where lower(rail_reference) = lower(${reference})
    union select payout_id from payout_correction where lower(bank_reference) = lower(${reference}))`;

/** The name is the second line of the text that the index has. */
const isNamed = (pattern: RawBuilder<string>) =>
  sql<boolean>`(search_text like ${pattern} and split_part(search_text, e'\n', 2) like ${pattern})`;

export const matchesPayout = (given: Given<PayoutValues>, needsAttention: boolean | undefined) => {
  const { merchantId, programId, affiliateId, status, startDate, endDate, paidFrom, paidTo } = given;
  const { code, reference, namePattern, pattern } = given;
  return eb.and([
    eb('merchantId', '=', merchantId),
    ...(programId ? [eb('programId', '=', programId)] : []),
    ...(affiliateId ? [eb('affiliateId', '=', affiliateId)] : []),
    ...(status ? [eb('status', '=', status)] : []),
    ...(startDate ? [eb('createdAt', '>=', startDate)] : []),
    ...(endDate ? [eb('createdAt', '<', endDate)] : []),
    ...(paidFrom ? [eb(PAID_AT, '>=', paidFrom)] : []),
    ...(paidTo ? [eb(PAID_AT, '<', paidTo)] : []),
    ...(code ? [eb('affiliateId', '=', affiliateOf(code))] : []),
    ...(reference ? [eb('id', '=', anyOf(payoutsOf(merchantId, reference)))] : []),
    ...(namePattern ? [isNamed(namePattern)] : []),
    ...(pattern ? [eb('searchText', 'like', pattern)] : []),
    // A literal: a parameter could not use the partial index.
    ...(needsAttention === undefined ? [] : [eb('needsAttention', '=', sql.lit(needsAttention))]),
  ]);
};

/** Whether row counters have the total. */
const isCounted = ({ merchantId: _, programId: __, status: ___, ...others }: Given<PayoutValues>): boolean =>
  Object.values(others).every((value) => value === undefined);

const query = (needsAttention: boolean | undefined) => (given: Given<PayoutValues>) =>
  db.selectFrom('payout').select(PAYOUT).select(SITUATION).where(matchesPayout(given, needsAttention));

const payouts = (needsAttention: boolean | undefined) => ({
  byCreation: list({
    name: 'payouts',
    query: query(needsAttention),
    total: (given) =>
      needsAttention === undefined && isCounted(given)
        ? countedTotal('payout', given.merchantId, {
            programId: given.programId,
            statuses: given.status && sql`array[${given.status}]`,
          })
        : undefined,
    toItem: toPayoutRecord,
  }),
  byPayment: list({
    name: 'payouts-paid',
    query: query(needsAttention),
    sort: { key: PAID_AT, id: sql.ref('id'), type: 'timestamptz', ascending: false },
    toItem: toPayoutRecord,
  }),
});

const allPayouts = payouts(undefined);
const payoutsInReview = payouts(true);
const otherPayouts = payouts(false);

/** Newest first; with a time of payment, the last paid first. */
export const listPayouts = (
  ctx: Context,
  { cursor, limit, page, pageSize, offset, ...filter }: PageQuery & PayoutFilter,
): Promise<Page<PayoutRecord>> => {
  const { needsAttention, paidFrom, paidTo } = filter;
  const { byCreation, byPayment } = needsAttention === undefined ? allPayouts : needsAttention ? payoutsInReview : otherPayouts;
  const listed = (paidFrom ?? paidTo) === undefined ? byCreation : byPayment;
  return listed(ctx, { cursor, limit, page, pageSize, offset }, payoutValuesOf(merchantOf(ctx), filter));
};
