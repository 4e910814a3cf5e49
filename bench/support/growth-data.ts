import type { Runtime } from '../../src/runtime.ts';
import type { PgConnection } from './pg.ts';

/** Proportions of the data: a tenth of the conversions as affiliates, a thousandth as programs. */
export const PER_AFFILIATE = 10;
const PER_PROGRAM = 100;
const COMMISSION = 2_000;
const PAID = 8;
/** The programs, affiliates and conversions so far, by number; dropped with the database. */
const NUMBERS = `create schema if not exists bench;
  create table if not exists bench.program (n int primary key, id uuid not null);
  create table if not exists bench.affiliate (n int primary key, id uuid not null, profile_id uuid not null, payout_id uuid not null,
    program_id uuid not null, at timestamptz not null);
  create table if not exists bench.conversion (id uuid primary key, sale_id uuid not null, affiliate int not null, k int not null,
    event_id uuid not null, delivery_id uuid not null, at timestamptz not null)`;

/** Numbers from `$1` to before `$2`; `$3` is the merchant, `$4` its endpoint, `$5` encrypted payout details of anybody. */
const STATEMENTS: readonly string[] = [
  `insert into bench.program select n, uuidv7(-interval '60 days') from generate_series(($1::int) / ${PER_PROGRAM}, ($2::int - 1) / ${PER_PROGRAM}) as n
    on conflict do nothing`,
  `insert into program (id, merchant_id, name, slug, status, marketplace_status, application_access, commission_type,
      commission_percent, commission_hold_days, cookie_duration, payout_threshold, payout_frequency, currency,
      auto_approve_affiliates, allowed_landing_pages, allow_custom_destinations, website, stripe_connected_at, created_at, updated_at)
    select id, $3::uuid, 'Program ' || n, 'growth-' || n, 'active', 'public', 'open', 'recurring', 20, 30, 30, 1000, 'monthly', 'usd', true,
      '[]'::jsonb, false, 'https://www.example.com', now(),
      uuid_extract_timestamp(id), now() from bench.program on conflict do nothing`,
  `insert into marketplace_listing (program_id, is_public, commission, created_at)
    select id, true, 2000, now() from bench.program on conflict do nothing`,
  `insert into marketplace_refresh select id, true, 'infinity' from bench.program on conflict do nothing`,
  `insert into bench.affiliate select numbered.n, uuidv7(at - clock_timestamp()), uuidv7(at - clock_timestamp()), uuidv7(at - clock_timestamp()), p.id, at
    from (select n, now() - interval '59 days' * random() as at from generate_series($1::int, $2::int - 1) as n) numbered
    join bench.program p on p.n = numbered.n / ${PER_PROGRAM}`,
  `insert into affiliate (id, profile_id, program_id, merchant_id, code, status, source, sort_name, search_text, created_at, updated_at)
    select id, profile_id, program_id, $3::uuid, 'growth' || n, case when n % 20 = 19 then 'blocked' else 'approved' end, 'api',
      'affiliate ' || n, 'growth' || n || E'\\naffiliate ' || n || E'\\na' || n || '@example.com', at, at
    from bench.affiliate where n >= $1 and n < $2`,
  `insert into referral_code select 'growth' || n, id from bench.affiliate where n >= $1 and n < $2`,
  `insert into affiliate_totals (affiliate_id, program_id, merchant_id, clicks, conversions, revenue, earnings)
    select id, program_id, $3::uuid, n % 1000, ${PER_AFFILIATE}, ${PER_AFFILIATE * 10_000}, ${PER_AFFILIATE * COMMISSION}
    from bench.affiliate where n >= $1 and n < $2`,
  `insert into bench.conversion select uuidv7(at - clock_timestamp()), uuidv7(at - clock_timestamp()), n, k, uuidv7(at - clock_timestamp()),
      uuidv7(at - clock_timestamp()), at
    from (select n, k, at + (now() - at) * random() as at from bench.affiliate, generate_series(0, ${PER_AFFILIATE - 1}) as k
      where n >= $1 and n < $2) numbered`,
  `insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id, method,
      matched_affiliate_id, matched_method, occurred_at, created_at)
    select c.sale_id, $3::uuid, a.program_id, 'events', c.id, '', 10000, 'usd', c.id, a.id, 'metadata', a.id, 'metadata', c.at, c.at
    from bench.conversion c join bench.affiliate a on a.n = c.affiliate where a.n >= $1 and a.n < $2 order by c.at`,
  `insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
      status, method, screened_at, release_at, approved_at, included_in, created_at, updated_at)
    select c.id, c.sale_id, $3::uuid, a.program_id, a.id, 10000, ${COMMISSION}, 20, 'usd', case when k <= ${PAID} then 'approved' else 'pending' end,
      'metadata', c.at, now() + interval '30 days', case when k <= ${PAID} then now() end, case when k < ${PAID} then a.payout_id end, c.at, now()
    from bench.conversion c join bench.affiliate a on a.n = c.affiliate where a.n >= $1 and a.n < $2 order by c.at`,
  `insert into click (id, program_id, affiliate_id, code, channel, page, source, campaign, visitor, address, browser, repeat_key)
    select uuidv7(c.at - clock_timestamp()), a.program_id, a.id, 'growth' || a.n, 'page', '/', 'direct', '{}', uuid_send(c.id),
      uuid_send(c.id), uuid_send(c.id), uuid_send(c.id)
    from bench.conversion c join bench.affiliate a on a.n = c.affiliate where a.n >= $1 and a.n < $2 order by c.at`,
  `insert into click_count (affiliate_id, day, code, source, shard, clicks)
    select a.id, (c.at at time zone 'UTC')::date, 'growth' || a.n, 'direct', c.k % 8, count(*)
    from bench.conversion c join bench.affiliate a on a.n = c.affiliate where a.n >= $1 and a.n < $2 group by a.id, a.n, 2, c.k % 8`,
  `insert into click_total (affiliate_id, code, shard, clicks, added_up)
    select id, 'growth' || n, 0, ${PER_AFFILIATE}, true from bench.affiliate where n >= $1 and n < $2`,
  `insert into payout (id, merchant_id, program_id, affiliate_id, profile_id, amount, currency, status, method, rail, details, created_by, created_at,
      processing_at, completed_at, updated_at)
    select payout_id, $3::uuid, program_id, id, profile_id, ${PAID * COMMISSION}, 'usd', 'completed', 'paypal', 'manual', $5, 'bench', at, at, at, at
    from bench.affiliate where n >= $1 and n < $2`,
  `insert into payout_item (payout_id, kind, subject_id, amount)
    select a.payout_id, 'commission', c.id, ${COMMISSION} from bench.conversion c join bench.affiliate a on a.n = c.affiliate
    where a.n >= $1 and a.n < $2 and c.k < ${PAID}`,
  `insert into payout_timeline (id, payout_id, at, type, actor, from_status, to_status)
    select uuidv7(), payout_id, at, type, 'bench', from_status, to_status from bench.affiliate, (values ('created', null, 'pending'),
      ('attempt_reserved', 'pending', 'processing'), ('marked_paid', 'processing', 'completed')) as step (type, from_status, to_status)
    where n >= $1 and n < $2`,
  `insert into ledger_balance (affiliate_id, program_id, merchant_id, currency, pending, payable, paid)
    select id, program_id, $3::uuid, 'usd', ${COMMISSION}, ${COMMISSION}, ${PAID * COMMISSION} from bench.affiliate where n >= $1 and n < $2`,
  `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
    select transaction, kind, account, case account when 'merchant_expense' then program_id else affiliate_id end, program_id, $3::uuid, 'usd',
      sign * ${COMMISSION}, id, at::date, at
    from (select uuidv7() as transaction, c.id, c.at, c.k, a.id as affiliate_id, a.program_id, step.*
        from bench.conversion c join bench.affiliate a on a.n = c.affiliate,
          (values ('conversion', 'merchant_expense', 'pending'), ('approval', 'pending', 'payable')) as step (kind, from_account, to_account)
        where a.n >= $1 and a.n < $2 and (kind = 'conversion' or k <= ${PAID})) moved,
      lateral (values (from_account, -1), (to_account, 1)) as line (account, sign)`,
  `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
    select transaction, kind, account, id, program_id, $3::uuid, 'usd', sign * ${PAID * COMMISSION}, payout_id, at::date, at
    from (select uuidv7() as transaction, a.*, step.* from bench.affiliate a,
          (values ('payout_created', 'payable', 'in_payout'), ('payout_completed', 'in_payout', 'paid')) as step (kind, from_account, to_account)
        where n >= $1 and n < $2) moved,
      lateral (values (from_account, -1), (to_account, 1)) as line (account, sign)`,
  // One flag of each affiliate; every fourth is open and holds the newest commission.
  `insert into flag (id, merchant_id, program_id, affiliate_id, type, status, details, conversion_count, created_at, newest_evidence_at,
      due_at, resolved_at, resolved_by, hold_ended_at, updated_at)
    select payout_id, $3::uuid, program_id, id,
      (array['suspicious_activity','self_referral','high_click_frequency','conversion_anomaly','manual_review'])[1 + n % 5],
      case when n % 4 = 0 then 'open' else 'dismissed' end, '{"evidenceCount": 1, "evidence": []}', 1, at, at, at + interval '90 days',
      case when n % 4 <> 0 then at end, case when n % 4 <> 0 then $3::uuid end, case when n % 4 <> 0 then at end, at
    from bench.affiliate where n >= $1 and n < $2`,
  `insert into flag_conversion (flag_id, conversion_id)
    select a.payout_id, c.id from bench.conversion c join bench.affiliate a on a.n = c.affiliate
    where a.n >= $1 and a.n < $2 and c.k = ${PER_AFFILIATE - 1}`,
  `insert into webhook_event (id, merchant_id, program_id, type, schema_version, body, occurred_at)
    select c.event_id, $3::uuid, a.program_id, 'conversion.created', 2,
      convert_to(format('{"data":{"id":"%s"},"padding":"%s"}', c.id, repeat('x', 400)), 'UTF8'), c.at
    from bench.conversion c join bench.affiliate a on a.n = c.affiliate where a.n >= $1 and a.n < $2 order by c.at`,
  `insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, in_lane, priority, status, auto_attempts, attempts, created_at, updated_at)
    select delivery_id, event_id, $4::uuid, $3::uuid, 0, false, 0, 'succeeded', 1, 1, at, at from bench.conversion where affiliate >= $1 and affiliate < $2 order by at`,
  `insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at, finished_at, outcome, http_status)
    select delivery_id, 1, '', 'schedule', 'https://example.com/hook', at, at, 'succeeded', 200 from bench.conversion
    where affiliate >= $1 and affiliate < $2 and at > now() - interval '30 days' order by at`,
];

/** Paid commissions of the first affiliate: a tenth of all conversions. `$1` to `$2` are their numbers. */
const LIFETIME: readonly string[] = [
  `create temp table lifetime as select uuidv7() as id, uuidv7() as sale_id, n from generate_series($1::int, $2::int - 1) as n`,
  `create temp table lifetime_payout as select uuidv7() as id`,
  `insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id, method, occurred_at,
      created_at)
    select l.sale_id, $3::uuid, a.program_id, 'events', l.id, '', 10000, 'usd', l.id, a.id, 'metadata', now(), now()
    from lifetime l, bench.affiliate a where a.n = 0`,
  `insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
      status, method, screened_at, release_at, approved_at, included_in, created_at, updated_at)
    select l.id, l.sale_id, $3::uuid, a.program_id, a.id, 10000, ${COMMISSION}, 20, 'usd', 'approved', 'metadata', now(), now(), now(), p.id,
      now(), now() from lifetime l, lifetime_payout p, bench.affiliate a where a.n = 0`,
  `insert into payout_item (payout_id, kind, subject_id, amount) select p.id, 'commission', l.id, ${COMMISSION} from lifetime l, lifetime_payout p`,
  `insert into payout (id, merchant_id, program_id, affiliate_id, profile_id, amount, currency, status, method, rail, details, created_by, created_at,
      processing_at, completed_at, updated_at)
    select p.id, $3::uuid, a.program_id, a.id, a.profile_id, ($2::int - $1::int) * ${COMMISSION}, 'usd', 'completed', 'paypal', 'manual', $5, 'bench', now(), now(),
      now(), now() from lifetime_payout p, bench.affiliate a where a.n = 0`,
  `update ledger_balance b set paid = paid + ($2::int - $1::int) * ${COMMISSION} from bench.affiliate a where a.n = 0 and b.affiliate_id = a.id`,
  `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
    select p.id, 'payout_completed', account, case account when 'paid' then a.id else a.program_id end, a.program_id, $3::uuid, 'usd',
      sign * ($2::int - $1::int) * ${COMMISSION}, p.id, current_date, now()
    from lifetime_payout p, bench.affiliate a, (values ('merchant_expense', -1), ('paid', 1)) as line (account, sign) where a.n = 0`,
  'drop table lifetime, lifetime_payout',
];

/** Counters as triggers would keep them, spread over all shards. */
const COUNTERS = `insert into row_counter
  with counted as (
    select 'program' as relation, null::uuid as program_id, status, count(*) as amount from program where merchant_id = $1 group by status
    union all select 'affiliate', program_id, status, count(*) from affiliate where merchant_id = $1 group by rollup (program_id), status
    union all select 'conversion', program_id, status, count(*) from conversion where merchant_id = $1 group by rollup (program_id), status
    union all select 'payout', program_id, status, count(*) from payout where merchant_id = $1 group by rollup (program_id), status
    union all select 'sale', program_id, 'attributed', count(*) from sale where merchant_id = $1 group by rollup (program_id)
    union all select 'owed', program_id, 'owed', count(*) from ledger_balance where merchant_id = $1 and payable > 0 group by rollup (program_id))
  select relation, $1::uuid, coalesce(program_id, '00000000-0000-0000-0000-000000000000'), status, shard, amount / 64 + case when shard < amount % 64 then 1 else 0 end
  from counted, generate_series(0, 63) as shard`;

/** Sums as the relay role would keep them. */
const SUMS = `insert into conversion_sum
  select merchant_id, place.id, piece.span, piece.starts_at, currency, status, count(*), sum(amount - refunded), sum(commission),
    coalesce(sum(commission) filter (where approved_at is null), 0)
  from conversion c cross join lateral (values (c.program_id), ('00000000-0000-0000-0000-000000000000'::uuid)) as place (id)
    cross join lateral (values ('all', '-infinity'::timestamptz), ('day', date_trunc('day', created_at, 'UTC')),
      ('quarter', date_bin('15 minutes', created_at, '2000-01-01T00:00:00Z'))) as piece (span, starts_at)
  where merchant_id = $1 group by 1, 2, 3, 4, 5, 6`;

export interface GrowthOwner {
  merchantId: string;
  endpointId: string;
}

/** Adds conversions, and everything that belongs to them, until there are `size`. `connection` is the owner's. */
export const growTo = async (
  connection: PgConnection,
  runtime: Runtime,
  { merchantId, endpointId }: GrowthOwner,
  { from, size }: { from: number; size: number },
): Promise<void> => {
  await connection.query(NUMBERS);
  for (const [table, key] of [
    ['webhook_event', 'id'],
    ['webhook_delivery', 'event_id'],
    ['webhook_attempt', 'delivery_id'],
  ]) {
    for (const months of [1, 2, 3])
      await connection.query(
        `select create_partition('${table}', '${key}', (date_trunc('month', now() at time zone 'UTC') - interval '${months} months')::date)`,
      );
  }
  // Triggers and foreign keys would check each row: the data is verified as a whole instead.
  await connection.query(`set session_replication_role = 'replica'`);
  const values = [from / PER_AFFILIATE, size / PER_AFFILIATE, merchantId, endpointId, 'x'.repeat(220)];
  for (const text of STATEMENTS) await connection.query(used(text, values));
  await addProfiles(connection, runtime, { from: from / PER_AFFILIATE, to: size / PER_AFFILIATE });
  const lifetime = [from / PER_AFFILIATE, size / PER_AFFILIATE, merchantId, endpointId, 'x'.repeat(220)];
  for (const text of LIFETIME) await connection.query(used(text, lifetime));
  await connection.query({ name: '', text: 'delete from row_counter where merchant_id = $1', values: [merchantId] });
  await connection.query({ name: '', text: COUNTERS, values: [merchantId] });
  await connection.query('truncate conversion_change, conversion_sum');
  await connection.query({ name: '', text: SUMS, values: [merchantId] });
  await connection.query(`set session_replication_role = 'origin'`);
  await connection.query('vacuum analyze');
};

const BATCH = 10_000;
const DETAILS = JSON.stringify({
  method: 'paypal',
  paypalEmail: 'ok@example.com',
  bankIban: null,
  bankBic: null,
  bankAccountHolder: null,
});

/** Payout details are encrypted for their own row. */
const addProfiles = async (connection: PgConnection, { cipher }: Runtime, { from, to }: { from: number; to: number }) => {
  for (let first = from; first < to; first += BATCH) {
    const { rows } = await connection.query<{ id: string }>({
      name: '',
      text: 'select profile_id as id from bench.affiliate where n >= $1 and n < $2 order by n',
      values: [first, Math.min(first + BATCH, to)],
    });
    const encrypted = rows.map(({ id }) =>
      cipher.encrypt(DETAILS, { table: 'affiliate_profile', column: 'payout_details', row: id }),
    );
    await connection.query({
      name: '',
      text: `insert into affiliate_profile (id, user_id, email, name, payout_method, payout_details, created_at, updated_at)
        select a.profile_id, a.profile_id, 'a' || n || '@example.com', 'Affiliate ' || n, 'paypal', details, at, at
        from unnest($1::uuid[], $2::text[]) as given (id, details) join bench.affiliate a on a.profile_id = given.id
        where a.n >= $3`,
      values: [rows.map(({ id }) => id), encrypted, first],
    });
  }
};

/** Postgres refuses parameters that a statement does not use. */
const used = (text: string, values: readonly unknown[]): { name: string; text: string; values: readonly unknown[] } => {
  const kept = values.map((_value, at) => at).filter((at) => text.includes(`$${at + 1}`));
  const numbered = text.replaceAll(/\$([1-9])/g, (_whole, n: string) => `$${kept.indexOf(Number(n) - 1) + 1}`);
  return { name: '', text: numbered, values: kept.map((at) => values[at]) };
};
