import {
  PAGE_LINES,
  type PageContradiction,
  type PageLine,
  type PayoutPage,
  type ProviderRecord,
} from '../../../contracts/workflows/payout-page.ts';
import { type FieldsOf, isoOf, type RawBuilder, sql } from '../../../platform/database/sql.ts';
import { jsonOf } from '../../../platform/outbox/outbox.ts';
import { roleOfActor } from '../../auth/index.ts';

// Templates: fragments of messages that the database writes as JSON.

const LINE: FieldsOf<PageLine> = {
  at: isoOf(sql`e.at`),
  type: sql`e.type`,
  actor: roleOfActor(sql`e.actor`, sql`p.merchant_id`),
  attempt: sql`e.attempt`,
  outcome: sql`e.outcome`,
  reason: sql`e.reason`,
  reminder: sql`e.reminder`,
  times: sql`s.times`,
  lastAt: isoOf(sql`s.last_at`),
};

/** Who only looked says nothing about the payout, and may look often. */
const TIMELINE = sql<PageLine[]>`coalesce((
  select jsonb_agg(jsonb_strip_nulls(${jsonOf(LINE)}) order by e.seq) from (
    select * from payout_timeline where payout_id = p.id and type <> 'instructions_viewed' order by seq desc limit ${sql.lit(PAGE_LINES)}) e
  left join payout_status_check s on s.entry_id = e.id), '[]')`;

const LOOK_UPS = sql<PayoutPage['lookUps']>`case when t.send_count > 0 then (
  select ${jsonOf({ count: sql`sum(coalesce(s.times, 1))`, firstAt: isoOf(sql`min(e.at)`), lastAt: isoOf(sql`max(coalesce(s.last_at, e.at))`) })}
  from payout_timeline e left join payout_status_check s on s.entry_id = e.id
  where e.payout_id = p.id and e.type = 'status_checked' having count(*) > 0) end`;

const CONTRADICTION: FieldsOf<PageContradiction> = {
  payoutId: sql`o.id`,
  n: sql`k.n`,
  amountMinor: sql`o.amount`,
  currency: sql`o.currency`,
  recorded: sql`k.recorded`,
  reported: sql`k.reported`,
  resolution: sql`k.resolution`,
  resolvedBy: roleOfActor(sql`k.resolved_by`, sql`p.merchant_id`),
};

/** That of another payout while this one is pending, else its own latest. */
const CONTRADICTIONS = sql<PageContradiction | null>`case when p.status = 'pending' then (
    select jsonb_strip_nulls(${jsonOf(CONTRADICTION)}) from payout_contradiction k join payout o on o.id = k.payout_id
    where k.resolved_at is null and o.affiliate_id = p.affiliate_id limit 1)
  else (
    select jsonb_strip_nulls(${jsonOf(CONTRADICTION)}) from payout_contradiction k join payout o on o.id = k.payout_id
    where k.payout_id = p.id order by k.n desc limit 1) end`;

/** What a person reads about a payout `p` with the latest attempt `t`. */
export const PAGE: RawBuilder<PayoutPage> = jsonOf<PayoutPage>({
  since: isoOf(sql`coalesce(p.failed_at, p.completed_at, p.processing_at, p.created_at)`),
  timeline: TIMELINE,
  provider: sql<ProviderRecord | null>`t.provider_record`,
  lookUps: LOOK_UPS,
  retryOf: sql`p.retry_of`,
  payoutRun: sql`p.payout_run_id`,
  corrections: sql`(select count(*) from payout_correction where payout_id = p.id)`,
  contradiction: CONTRADICTIONS,
});
