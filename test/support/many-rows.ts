import { ALL_PROGRAMS } from '../../src/contracts/programs.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import type { TestApi } from './api.ts';
import { ownerUrlOf } from './many-commissions.ts';

/** Whose lists are read. All ids are of one merchant. */
export interface ListOwner {
  merchantId: string;
  /** Has 15% of all rows. */
  programId: string;
  otherProgramId: string;
  /** Has 5% of all rows, in one program. */
  affiliateId: string;
  profileId: string;
  /** Has as many, in 100 programs. */
  memberProfileId: string;
  endpointId: string;
}

const ROWS = 100_000;
/** Limits tables whose lists a limit keeps short, and those in which lists look up single rows. */
const FEWER = 'where n <= 30000';
const MERCHANTS = 1_000;
/** Programs of others that have rows. */
const BUSY_PROGRAMS = 5_000;
const MEMBERSHIPS = 100;

/** Tell whether a row `n` is the merchant's, the affiliate's, or the member's. */
const IS_OWN = 'n % 10 < 3';
const IS_AFFILIATES = 'n % 20 = 0';
const IS_MEMBERS = 'n % 20 = 12';
/** Different at random from row to row, and the same in every run. */
const HASH = 'hashint4(n) & 2147483647';
const SOURCE = `(array['api','browser','invite','import','mcp'])[1 + h / 20 % 5]`;
/** What a search for "name" finds in every row, and one for "needle" in one. */
const NAME = `'name ' || case n when 1 then 'needle' else n::text end`;

const programs = ({ merchantId }: ListOwner): string[] => [
  `insert into merchant select made.* from merchant m, generate_series(2, ${MERCHANTS}) n,
     jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'company_name', 'Company ' || n)) made
   where m.id = '${merchantId}'`,
  `insert into program (id, merchant_id, name, slug, allowed_landing_pages, allow_custom_destinations, status, marketplace_status,
     application_access, marketplace_category, commission_type, commission_percent, commission_hold_days, cookie_duration,
     payout_threshold, payout_frequency, currency, auto_approve_affiliates, created_at, updated_at)
   select uuidv7(n * interval '-5 minutes'), case when n % 200 = 0 then '${merchantId}' else ids[1 + n % ${MERCHANTS - 1}] end,
     'Program ' || n, 'many-' || n, '[]', false, (array['active','active','active','paused','archived'])[1 + h / 4 % 5],
     case h % 4 when 0 then 'public' else 'private' end, 'open', case h / 20 % 100 when 0 then 'Rare' else 'Common' end,
     'recurring', 1 + n % 99, 0, 30, 1000, 'monthly', 'usd', true, now() - n * interval '5 minutes', now()
   from generate_series(1, ${ROWS}) n, lateral (select ${HASH} as h) r,
     (select array_agg(id) as ids from merchant where id <> '${merchantId}') m`,
  `insert into marketplace_listing
   select id, status = 'active' and marketplace_status = 'public', lower(marketplace_category), commission_percent * 100, created_at,
     true, hashtext(slug) & 65535, hashtext(slug) & 1023 from program on conflict do nothing`,
  `create table own_program as select row_number() over (order by id) as k, id from program
   where merchant_id = '${merchantId}' and slug like 'many-%'`,
  `create table other_program as select row_number() over (order by id) as k, id, merchant_id from program
   where merchant_id <> '${merchantId}' limit ${BUSY_PROGRAMS}`,
];

/** One row of which each table has a copy, with its ids, five minutes older than the one before it. */
const made = (own: ListOwner): string[] => [
  `create table membership as select k, uuidv7() as id, id as program_id from own_program where k <= ${MEMBERSHIPS}`,
  `create table made as
   select n, h, now() - n * interval '5 minutes' as at, uuidv7(n * interval '-5 minutes') as id, profile_id,
     member_id, uuidv7(n * interval '-75 seconds') as event_id, ${IS_AFFILIATES} or ${IS_MEMBERS} as is_known, ${IS_OWN} as is_own,
     case when ${IS_OWN} then '${own.merchantId}' else o.merchant_id end as merchant_id,
     case when ${IS_MEMBERS} then m.program_id when n % 20 < 3 then '${own.programId}' when ${IS_OWN} then '${own.otherProgramId}'
       else o.id end as program_id,
     case when ${IS_AFFILIATES} then '${own.affiliateId}' when ${IS_MEMBERS} then m.id else member_id end as affiliate_id,
     case when ${IS_AFFILIATES} then '${own.profileId}' when ${IS_MEMBERS} then '${own.memberProfileId}' else profile_id end as person_id
   from generate_series(1, ${ROWS}) n cross join lateral (
       select ${HASH} as h, uuidv7(n * interval '-5 minutes') as profile_id, uuidv7(n * interval '-5 minutes') as member_id offset 0) r
     left join other_program o on o.k = 1 + n % ${BUSY_PROGRAMS} left join membership m on m.k = 1 + n / 20 % ${MEMBERSHIPS}`,
];

const people = ({ merchantId, memberProfileId }: ListOwner): string[] => [
  `insert into affiliate_profile (id, user_id, email, name, created_at, updated_at)
   select profile_id, profile_id, 'p-' || n || '@example.com', ${NAME}, at, at from made`,
  `insert into affiliate (id, profile_id, program_id, merchant_id, code, status, source, external_id, sort_name, search_text, created_at, updated_at)
   select member_id, profile_id, program_id, merchant_id, 'code-' || n, case h % 20 when 0 then 'blocked' else 'approved' end,
     ${SOURCE}, 'partner-' || n, ${NAME}, ${NAME}, at, at from made
   union all
   select id, '${memberProfileId}', program_id, '${merchantId}', 'member-' || k, 'approved', 'api', null, '', '', now(), now() from membership`,
  `insert into referral_code (code, affiliate_id) select 'code-' || n, affiliate_id from made`,
  `insert into affiliate_totals select id, program_id, merchant_id, hashtext(code) & 1023, 5, hashtext(code) & 65535, 500 from affiliate
   on conflict do nothing`,
  `insert into ledger_balance (affiliate_id, program_id, merchant_id, currency, payable, pending)
   select id, program_id, merchant_id, 'usd', case hashtext(code) & 3 when 0 then 2000 else 0 end, 500 from affiliate on conflict do nothing`,
  `insert into application (id, merchant_id, program_id, profile_id, affiliate_id, status, source, risk_notes, search_text, created_at,
     due_at, decided_at, updated_at)
   select id, merchant_id, program_id, person_id, member_id, status, ${SOURCE}, '{}', ${NAME}, at, at,
     case when status <> 'pending' then at end, at
   from made, lateral (select case when is_known then (array['declined','withdrawn'])[1 + h % 2]
     else (array['pending','approved','approved','approved','declined','withdrawn','blocked'])[1 + h % 7] end as status) s`,
  `insert into invite (id, merchant_id, program_id, token, is_public, usage_limit, usage_count, skip_onboarding, expires_at, created_at)
   select id, merchant_id, program_id, md5(n::text), false, 1, case h % 20 when 0 then 0 else 1 end, false, now() + interval '1 day', at
   from made ${FEWER}`,
  `insert into api_key (id, key_type, owner_id, name, hash, prefix, last_four, scopes, line_id, created_at, revoked_at)
   select id, 'merchant', case when ${IS_AFFILIATES} then '${merchantId}' else profile_id end, 'key', decode(md5(n::text), 'hex'),
     'ak_live_', 'abcd', '{}', id, at, at from made ${FEWER}`,
];

const money = (): string[] => [
  `insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id,
     reason, occurred_at, created_at)
   select id, merchant_id, program_id, 'events', 'sale-' || n, '', 10000, 'usd', 'c-' || n, affiliate_id,
     case h % 10 when 0 then 'NO_MATCH' end, at, at from made`,
  `insert into customer (id, merchant_id, program_id, external_id, affiliate_id, attributed_at, identified_at, first_paid_at, status, created_at)
   select id, merchant_id, program_id, 'c-' || n, affiliate_id, at, at, case when h % 20 > 0 then at end,
     case h % 20 when 0 then 'lead' else 'customer' end, at from made`,
  `insert into customer_identity (program_id, kind, value, customer_id, created_at)
   select program_id, 'id', 'c-' || n, id, at from made`,
  `insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency, status,
     method, screened_at, release_at, approved_at, included_in, created_at, updated_at)
   select id, id, merchant_id, program_id, affiliate_id, 10000, 2000, 20, 'usd', status, 'metadata', at, at,
     case when status not in ('pending','rejected') then at end,
     case when status not in ('pending','rejected') and (is_known or h / 20 % 4 > 0) then id end, at, at
   from made, lateral (select case h % 20 when 0 then 'rejected' when 1 then 'refunded' when 2 then 'partially_refunded'
     when 3 then 'pending' else 'approved' end as status) s`,
  `insert into payout (id, merchant_id, program_id, affiliate_id, profile_id, affiliate_name, search_text, amount, currency, status, method,
     rail, needs_attention, bank_reference, created_by, created_at, completed_at, failed_at, updated_at)
   select id, merchant_id, program_id, affiliate_id, person_id, ${NAME}, 'code-' || n || e'\\n' || ${NAME} || e'\\nref-' || n, 2000, 'usd',
     status, 'paypal', 'manual', h / 20 % 50 = 0, 'ref-' || n, 'system:test', at, case status when 'completed' then at end, case status when 'failed' then at end, at
   from made, lateral (select case when h % 20 < 2 then 'failed' when is_known or h % 20 > 4 then 'completed'
     when h % 20 = 2 then 'pending' else 'processing' end as status) s`,
  `insert into payout_item (payout_id, kind, subject_id, amount)
   select case when n % 50 = 0 then (select id from made where n = 20) else id end, kind, id, 100
   from made, (values ('commission'), ('adjustment')) as k (kind)`,
  `insert into payout_timeline (id, payout_id, at, type, actor)
   select id, case when n % 50 = 0 then (select id from made where n = 20) else id end, at, 'created', 'system:test' from made ${FEWER}`,
  `insert into payout_status_check (entry_id, times, last_at) select id, 2, at from made ${FEWER}`,
  `insert into payout_run (id, merchant_id, program_id, status, as_of, created_by, created_at, total, items, finished_at, updated_at)
   select id, merchant_id, program_id, 'completed', at, 'system:test', at, '{}', 0, at, at from made ${FEWER}`,
  `insert into payout_run_item (run_id, affiliate_id, program_id, currency, amount, result, reason)
   select case when n % 50 = 0 then (select id from made where n = 20) else id end, member_id, program_id, 'usd', 100, 'left_out',
     case h % 4 when 0 then 'BELOW_THRESHOLD' else 'PAYOUT_DETAILS_MISSING' end from made`,
  `insert into commission_adjustment (id, affiliate_id, conversion_id, kind, amount, note, created_by, included_in, created_at)
   select id, affiliate_id, case when kind is null then id end, kind, 100, 'For the launch' || kind, 'key' || kind, id, at
   from made, lateral (select case h % 2 when 0 then 'bonus' end as kind) k`,
  `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on,
     created_at)
   select id, 'adjustment', 'payable', affiliate_id, program_id, merchant_id, 'usd', 100, id, at::date, at from made ${FEWER}`,
  `insert into ledger_period (id, merchant_id, month, closed_at, closed_by)
   select distinct on (merchant_id) id, merchant_id, date '2019-01-01', at, 'key' from made order by merchant_id`,
  `insert into pending_change (id, merchant_id, setting, status, created_by, created_at, due_at, decided_by, decided_at)
   select id, merchant_id, 'payoutDailyLimit', 'superseded', 'key', at, at, 'key', at from made ${FEWER}`,
  `insert into flag (id, merchant_id, program_id, affiliate_id, type, status, created_at, newest_evidence_at, due_at, resolved_at,
     hold_ended_at, updated_at)
   select id, merchant_id, program_id, affiliate_id, (array['suspicious_activity','self_referral','high_click_frequency',
     'conversion_anomaly','manual_review'])[1 + h / 20 % 5], status, at, at, at, case when status <> 'open' then at end,
     case when status <> 'open' then at end, at
   from made, lateral (select case when is_known or h % 7 > 0 then (array['dismissed','reviewed','confirmed'])[1 + h % 3]
     else 'open' end as status) s`,
  `insert into flag_conversion (flag_id, conversion_id) select id, id from made ${FEWER}`,
];

const rest = ({ merchantId, programId, affiliateId, endpointId }: ListOwner): string[] => [
  // Any id serves as that of a key.
  `insert into audit_log (id, owner_id, actor, action, resource_id, changes, created_at)
   select id, merchant_id, case when h % 5 > 0 then 'key:${merchantId}' else 'system:test' end,
     case h / 20 % 10 when 0 then 'coupon.created' when 1 then 'program.updated' else 'affiliate.updated' end,
     case when ${IS_AFFILIATES} then '${affiliateId}' else id end, '[]', at from made`,
  `insert into coupon (id, merchant_id, program_id, affiliate_id, code, created_at, deleted_at)
   select id, merchant_id, program_id, affiliate_id, 'C-' || n, at, case when h % 20 > 0 then at end from made ${FEWER}`,
  `insert into link (id, merchant_id, program_id, affiliate_id, name, code, is_active, created_at, updated_at, deleted_at)
   select id, merchant_id, program_id, case when ${IS_AFFILIATES} and n < 20000 then '${affiliateId}' else member_id end, 'Link',
     'link-' || n, true, at, at, case when h % 20 > 0 then at end from made ${FEWER}`,
  `insert into click_total (affiliate_id, code, shard, clicks, added_up) select affiliate_id, 'link-' || n, 0, 5, true from made ${FEWER}`,
  `insert into marketing_resource (id, merchant_id, program_id, kind, status, title, platforms, created_at, updated_at)
   select id, merchant_id, program_id, (array['collection','file','social_post','swipe_copy','external_link'])[1 + h % 5],
     (array['draft','published','published','archived'])[1 + h / 5 % 4], ${NAME}, '{}', at, at
   from made ${FEWER} and (program_id <> '${programId}' or n < 6000)`,
  `insert into stored_file (id, merchant_id, program_id, mime_type, byte_size, status, created_at, updated_at)
   select id, merchant_id, program_id, 'image/png', 5, 'in_use', at, at from made ${FEWER}`,
  `insert into resource_media (id, resource_id, file_id, file_name, sort_order, created_at) select id, id, id, 'a.png', 0, at from made ${FEWER}`,
  `insert into webhook_endpoint (id, merchant_id, name, url, status, schema_version, subscribed_events, created_at, updated_at)
   select id, merchant_id, 'Orders', 'https://1.1.1.1/hook', 'active', 2, array['payout.created'], at, at
   from made ${FEWER} and (not is_own or n % 1000 = 0)`,
  `select create_partition(parent, key, (date_trunc('month', now() at time zone 'UTC') - months * interval '1 month')::date)
   from (values ('webhook_event', 'id'), ('webhook_delivery', 'event_id'), ('webhook_attempt', 'delivery_id')) as t (parent, key), generate_series(1, 3) as months`,
  `insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at, position)
   select event_id, merchant_id, case h % 200 when 0 then 'flag.resolved' else 'payout.created' end, 2,
     convert_to(jsonb_build_object('id', event_id, 'type', 'payout.created', 'schemaVersion', 2, 'createdAt', '2026-01-01T00:00:00.000Z',
       'merchantId', merchant_id, 'environment', 'development', 'subjectId', event_id, 'sequence', 1, 'data', '{}'::jsonb)::text, 'UTF8'), at, (${ROWS} - n) / 1000 from made`,
  `insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, status, slot, priority, created_at, updated_at)
   select event_id, event_id, case when is_own then '${endpointId}' else id end, merchant_id,
     case h % 20 when 0 then 'pending' when 1 then 'exhausted' when 2 then 'cancelled' when 3 then 'parked' else 'succeeded' end, 0, 0,
     now() - n * interval '75 seconds', at
   from made`,
  `insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at, finished_at, outcome)
   select event_id, 1, '', 'schedule', 'https://1.1.1.1/hook', at, at, 'succeeded' from made`,
];

const COUNTED = ['affiliate', 'application', 'conversion', 'customer', 'flag', 'payout'];

/** The owner's, as the triggers keep them. */
const counters = ({ merchantId }: ListOwner): string[] => [
  'truncate row_counter',
  `insert into row_counter
   select relation, merchant_id, coalesce(program_id, '${ALL_PROGRAMS}'), status, 0, count(*)
   from (select 'program' as relation, merchant_id, null::uuid as program_id, status from program
     ${COUNTED.map((name) => `union all select '${name}', merchant_id, program_id, status from ${name}`).join(' ')}
     union all select 'sale', merchant_id, program_id, case when reason is null then 'attributed' else 'unattributed' end from sale
     union all select 'owed', merchant_id, program_id, 'owed' from ledger_balance where payable > 0) counted
   where merchant_id = '${merchantId}' group by grouping sets ((relation, merchant_id, program_id, status), (relation, merchant_id, status))
   having relation <> 'program' or grouping(program_id) = 1`,
];

/** An index is faster to build than to keep. */
const DROP_INDEXES = [
  `create table dropped_index as select x.indexrelid::regclass::text as name, pg_get_indexdef(x.indexrelid) as definition,
     row_number() over () % 4 as part
   from pg_index x join pg_class t on t.oid = x.indrelid
   where not x.indisunique and t.relkind = 'r' and t.relnamespace = 'public'::regnamespace`,
  `do $$ declare name text; begin for name in select d.name from dropped_index d loop execute 'drop index ' || name; end loop; end $$`,
];
const BUILD_INDEXES = [0, 1, 2, 3].map(
  (part) => `do $$ declare definition text; begin
    for definition in select d.definition from dropped_index d where d.part = ${part} loop execute definition; end loop; end $$`,
);

/** Adds 100,000 rows to the tables that lists read, without the work of triggers. 30 % are the owner's, who has more than anybody else. Returns ids of some. */
export const addManyRows = async (
  api: TestApi,
  own: ListOwner,
): Promise<{ payoutId: string; flagId: string; memberProgramId: string }> => {
  const filled = [...programs(own), ...made(own), ...people(own), ...money(), ...rest(own), ...counters(own)];
  const tables = new Set(filled.flatMap((statement) => /^insert into (\w+)/.exec(statement)?.[1] ?? []));
  const [found] = await runSql(
    ownerUrlOf(api),
    `set session_replication_role = 'replica'`,
    ...DROP_INDEXES,
    ...filled,
    ...BUILD_INDEXES,
    ...[...tables].map((name) => `vacuum analyze ${name}`),
    `select made.id, (select program_id from membership where k = 1) as program from made where n = 20`,
  );
  const id = String(found?.['id']);
  return { payoutId: id, flagId: id, memberProgramId: String(found?.['program']) };
};
