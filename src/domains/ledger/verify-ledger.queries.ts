import type { Context } from '../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { findWrongPeriods, type LedgerFinding } from './verify-periods.queries.ts';

// Templates: each states one rule, most of them as a full join of sums.

const MAX_FINDINGS = 100;

/** Whether the column is the affiliate, or any when all are checked. */
type Scope = (column: string) => RawBuilder<boolean>;

const scopeOf =
  (affiliateId: string | undefined): Scope =>
  (column) =>
    affiliateId === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${affiliateId}`;

/**
 * Checks that every transaction sums to zero, every balance is the sum of its entries, no balance below its floor, that
 * every pending and payable balance is backed by commissions and items, that every manual adjustment is booked, that what is marked
 * as paid is in a payout, that fees of rails are booked once, that open disputes hold their commissions, and, of all, that closed months
 * are what was added up. Of one affiliate, or of all. Empty when all of it holds; at most 100 findings per rule.
 */
export const verifyLedger = async (
  ctx: Context,
  { affiliateId }: { affiliateId?: string | undefined } = {},
): Promise<LedgerFinding[]> => {
  const of = scopeOf(affiliateId);
  const isOf =
    affiliateId === undefined
      ? sql`true`
      : sql`transaction_id in (select transaction_id from ledger_entry where ${of('owner_id')})`;
  const unbalanced = rows(
    ctx.em,
    sql<LedgerFinding>`select 'transaction sums to zero' as rule, transaction_id as subject, sum(amount)::text as detail
      from ledger_entry where ${isOf} group by transaction_id, currency having sum(amount) <> 0 limit ${MAX_FINDINGS}`,
  );
  const drifted = rows(
    ctx.em,
    sql<LedgerFinding>`select 'balance is the sum of its entries' as rule, coalesce(b.affiliate_id, e.owner_id) as subject,
        format('%s %s %s %s', b.pending - coalesce(e.pending, 0), b.payable - coalesce(e.payable, 0),
          b.in_payout - coalesce(e.in_payout, 0), b.paid - coalesce(e.paid, 0)) as detail
      from (select * from ledger_balance where ${of('affiliate_id')}) b full join (
        select owner_id,
          coalesce(sum(amount) filter (where account = 'pending'), 0) as pending,
          coalesce(sum(amount) filter (where account = 'payable'), 0) as payable,
          coalesce(sum(amount) filter (where account = 'in_payout'), 0) as in_payout,
          coalesce(sum(amount) filter (where account = 'paid'), 0) as paid
        from ledger_entry where account not in ('merchant_expense','rail_fees') and ${of('owner_id')} group by owner_id) e on e.owner_id = b.affiliate_id
      where b.affiliate_id is null
        or (b.pending, b.payable, b.in_payout, b.paid) is distinct from
          (coalesce(e.pending, 0), coalesce(e.payable, 0), coalesce(e.in_payout, 0), coalesce(e.paid, 0)) limit ${MAX_FINDINGS}`,
  );
  const belowMinimum = rows(
    ctx.em,
    sql<LedgerFinding>`select 'no balance below its floor' as rule, affiliate_id as subject, payable::text as detail
      from ledger_balance where (pending < 0 or in_payout < 0 or paid < 0 or payable < -open_adjustments) and ${of('affiliate_id')}
      limit ${MAX_FINDINGS}`,
  );
  const mismatched = rows(
    ctx.em,
    sql<LedgerFinding>`select 'payable balance is backed by payable items' as rule, b.affiliate_id as subject,
        (b.payable - coalesce(c.amount, 0) - coalesce(a.amount, 0))::text as detail
      from ledger_balance b
      left join (select affiliate_id, sum(commission + adjusted) as amount from conversion v
        where ${of('affiliate_id')} and approved_at is not null and not exists (
          select 1 from payout_item i where i.kind = 'commission' and i.subject_id = v.id and i.active)
        group by affiliate_id) c on c.affiliate_id = b.affiliate_id
      left join (select affiliate_id, sum(amount) as amount from commission_adjustment d
        where ${of('affiliate_id')}
          and not exists (select 1 from payout_item i where i.kind = 'adjustment' and i.subject_id = d.id and i.active)
        group by affiliate_id) a on a.affiliate_id = b.affiliate_id
      where ${of('b.affiliate_id')} and b.payable <> coalesce(c.amount, 0) + coalesce(a.amount, 0) limit ${MAX_FINDINGS}`,
  );
  return (
    await Promise.all([
      unbalanced,
      drifted,
      belowMinimum,
      mismatched,
      findUnbackedPending(ctx, of),
      findWrongDeductions(ctx, of),
      findUnbookedAdjustments(ctx, of),
      findWrongMarks(ctx, of),
      findWrongHolds(ctx, of),
      findWrongFees(ctx, of),
      affiliateId === undefined ? findWrongPeriods(ctx, MAX_FINDINGS) : [],
    ])
  ).flat();
};

const findUnbackedPending = (ctx: Context, of: Scope): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`select 'pending balance is backed by pending commissions' as rule, b.affiliate_id as subject,
        (b.pending - coalesce(c.amount, 0))::text as detail
      from ledger_balance b left join (
        select affiliate_id, sum(commission) as amount from conversion
        where approved_at is null and ${of('affiliate_id')} group by affiliate_id
      ) c on c.affiliate_id = b.affiliate_id
      where ${of('b.affiliate_id')} and b.pending <> coalesce(c.amount, 0) limit ${MAX_FINDINGS}`,
  );

/** The floor of `payable` is exactly what open adjustments deduct. */
const findWrongDeductions = (ctx: Context, of: Scope): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`select 'open adjustments are those in no payout' as rule, b.affiliate_id as subject,
        (b.open_adjustments + coalesce(a.amount, 0))::text as detail
      from ledger_balance b left join (
        select affiliate_id, sum(amount) as amount from commission_adjustment
        where amount < 0 and included_in is null and ${of('affiliate_id')}
        group by affiliate_id) a on a.affiliate_id = b.affiliate_id
      where ${of('b.affiliate_id')} and b.open_adjustments <> -coalesce(a.amount, 0) limit ${MAX_FINDINGS}`,
  );

const findUnbookedAdjustments = (ctx: Context, of: Scope): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`select 'every manual adjustment is booked once' as rule, coalesce(d.id, e.reference_id) as subject,
        format('booked %s instead of %s', e.amount, d.amount) as detail
      from (select id, affiliate_id, amount from commission_adjustment where kind is not null and ${of('affiliate_id')}) d
      full join (select reference_id, owner_id, sum(amount) as amount from ledger_entry
        where kind = 'adjustment' and account = 'payable' and ${of('owner_id')} group by reference_id, owner_id) e
        on e.reference_id = d.id and e.owner_id = d.affiliate_id
      where e.amount is distinct from d.amount limit ${MAX_FINDINGS}`,
  );

const findWrongMarks = (ctx: Context, of: Scope): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`select 'what a payout includes is marked as included' as rule, s.id as subject,
        format('marked as in payout %s, is in %s', s.included_in, i.payout_id) as detail
      from (select 'commission' as kind, id, included_in from conversion where ${of('affiliate_id')}
        union all select 'adjustment', id, included_in from commission_adjustment where ${of('affiliate_id')}) s
      left join payout_item i on i.kind = s.kind and i.subject_id = s.id and i.active
      where s.included_in is distinct from i.payout_id limit ${MAX_FINDINGS}`,
  );

const findWrongHolds = (ctx: Context, of: Scope): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`select 'an open dispute holds the commission of its sale' as rule, c.id as subject,
        format('held since %s, disputed since %s', c.disputed_at, d.opened_at) as detail
      from conversion c join sale s on s.id = c.sale_id left join (
        select program_id, provider, external_sale_id, min(opened_at) as opened_at from sale_dispute where status = 'opened'
        group by program_id, provider, external_sale_id) d
        on d.program_id = s.program_id and d.provider = s.provider and d.external_sale_id = s.external_id
      where ${of('c.affiliate_id')} and (c.disputed_at is distinct from d.opened_at or s.disputed_at is distinct from c.disputed_at)
      limit ${MAX_FINDINGS}`,
  );

const findWrongFees = (ctx: Context, of: Scope): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`with fee as (
        select id, currency, fee as amount from payout where fee > 0 and ${of('affiliate_id')}
        union all
        select p.id, f.currency, f.amount - f.returned
        from payout p, jsonb_to_recordset(p.fees) f (currency text, amount bigint, returned bigint)
        where f.currency <> p.currency and ${of('p.affiliate_id')})
      select 'the fee of a payout is booked once' as rule, coalesce(p.id, e.reference_id) as subject,
        format('booked %s %s instead of %s', coalesce(e.amount, 0), coalesce(e.currency, p.currency), coalesce(p.amount, 0)) as detail
      from fee p
      full join (select reference_id, currency, sum(amount) as amount from ledger_entry
        where account = 'rail_fees' and reference_id in (select id from payout where ${of('affiliate_id')})
        group by reference_id, currency) e on e.reference_id = p.id and e.currency = p.currency
      where coalesce(e.amount, 0) <> coalesce(p.amount, 0) limit ${MAX_FINDINGS}`,
  );
