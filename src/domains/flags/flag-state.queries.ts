import { formatMoney } from '../../contracts/currencies.ts';
import type { FlagReviewState, FlagSnapshot, FlagSummary } from '../../contracts/flags.ts';
import type { PayoutStatus } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { type FieldsOf, firstRow, isoOf, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { jsonOf } from '../../platform/outbox/outbox.ts';
import { roleOfCaller } from '../auth/index.ts';
import { db } from '../tables.ts';

/** The columns of a `FlagSummary`, over `SUMMARY_TABLES`. */
export const SUMMARY: FieldsOf<Required<Omit<FlagSummary, 'heldMinor' | 'currency'>>> = {
  flagId: sql`f.id`,
  merchantId: sql`f.merchant_id`,
  programId: sql`f.program_id`,
  affiliateId: sql`f.affiliate_id`,
  affiliateCode: sql`a.code`,
  programName: sql`g.name`,
  companyName: sql`(select m.company_name from merchant m where m.id = f.merchant_id)`,
  type: sql`f.type`,
  createdAt: isoOf(sql`f.created_at`),
};

export const SUMMARY_TABLES = sql`flag f join affiliate a on a.id = f.affiliate_id join program g on g.id = f.program_id`;

/** The fields of a `FlagSnapshot`, over a flag `f`. */
export const SNAPSHOT: FieldsOf<FlagSnapshot> = {
  version: sql`f.version`,
  status: sql`f.status`,
  dueAt: isoOf(sql`f.due_at`),
  deadlineAction: sql`f.deadline_action`,
  isHolding: sql`f.hold_ended_at is null`,
};

/** Whether a conversion `c` still has a commission that can be rejected. */
export const RETAINED = sql<boolean>`c.status in ('pending','approved','partially_refunded')`;

/** What a flag `f` holds. Reads every linked conversion. */
export const HELD: FieldsOf<Required<Pick<FlagSummary, 'heldMinor' | 'currency'>>> = {
  heldMinor: sql`(select coalesce(sum(c.commission + c.adjusted), 0)::text from flag_conversion l
    join conversion c on c.id = l.conversion_id where l.flag_id = f.id and c.included_in is null and ${RETAINED})`,
  currency: sql`g.currency`,
};

const IN_OPEN_PAYOUT = sql<boolean>`p.status in ('pending','processing')`;

/** A payout that is not final and includes a conversion of the flag, one without an attempt first. */
export const findOpenPayout = (ctx: Context, flagId: string): Promise<{ status: PayoutStatus } | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('flag_conversion as l')
      .innerJoin('conversion as c', 'c.id', 'l.conversionId')
      .innerJoin('payout as p', 'p.id', 'c.includedIn')
      .select('p.status')
      .where('l.flagId', '=', flagId)
      .where(IN_OPEN_PAYOUT)
      .orderBy('p.status')
      .limit(1),
  );

type StoredState = Omit<FlagReviewState, 'heldAmount'>;

/** For the flag's workflow. Reads every linked conversion. A template: the state is one document with the snapshot that is signaled. */
export const getFlagReviewState = async (ctx: Context, flagId: string): Promise<FlagReviewState> => {
  const state: FieldsOf<StoredState> = {
    ...SNAPSHOT,
    reminders: sql`f.reminders`,
    atDeadline: sql`m.flag_deadline_action`,
    conversions: sql`f.conversion_count`,
    held: sql`held.count`,
    heldMinor: sql`held.amount::text`,
    currency: sql`g.currency`,
    inPayout: sql`held.in_payout`,
    resolvedBy: roleOfCaller(sql`f.resolved_by`, sql`f.merchant_id`),
  };
  const row = await firstRow(
    ctx.em,
    sql<{ state: StoredState }>`select ${jsonOf(state)} as state
      from flag f join program g on g.id = f.program_id join merchant m on m.id = f.merchant_id cross join lateral (
        select count(*) filter (where p.id is null) as count,
          coalesce(sum(c.commission + c.adjusted) filter (where p.id is null), 0) as amount,
          count(*) filter (where ${IN_OPEN_PAYOUT}) as in_payout
        from flag_conversion l join conversion c on c.id = l.conversion_id left join payout p on p.id = c.included_in
        where f.hold_ended_at is null and l.flag_id = f.id and ${RETAINED}) held
      where f.id = ${flagId}`,
  );
  if (!row) throw notFound('Flag');
  return { ...row.state, heldAmount: formatMoney(Number(row.state.heldMinor), row.state.currency) };
};
