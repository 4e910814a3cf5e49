create or replace function is_host_of(host text, domain text) returns boolean language sql immutable strict as $$
  select host = domain or right(host, length(domain) + 1) = '.' || domain;
$$;

-- What a click leads to, and whether it counts: everything about a click is one statement. Without a program it is that of the code;
-- without a host, no page reports it. The outcome is "ok", or why nothing was stored. A repeat within 30 seconds has the id of the
-- first. The last column is the affiliate whose clicks went above a limit, at most once in a minute.
create or replace function record_click(facts jsonb)
returns table (outcome text, click_id uuid, program_id uuid, affiliate_code text, cookie_duration int, website text,
  landing_page_url text, target_url text, allowed_landing_pages jsonb, allow_custom_destinations boolean, alerted_affiliate_id uuid)
language plpgsql volatile as $$
declare
  given record;
  target record;
  own_shard smallint := pg_backend_pid() % 8;
  own_day date;
  own_minute timestamptz;
  own_hour timestamptz;
  own_source text;
  minute_clicks int;
  hour_clicks int;
  max_visitors int;
  reported text[];
begin
  select * into given from jsonb_to_record(facts) as fact (id uuid, clicked_at timestamptz, program_id uuid, code text, host text,
    has_consent boolean, is_counted boolean, is_script boolean, channel text, page text, referrer text, source text, campaign jsonb,
    visitor bytea, address bytea, browser bytea, repeat_key bytea, max_per_minute int, max_per_hour int, is_own_address boolean, max_visitors int);
  own_day := (given.clicked_at at time zone 'UTC')::date;
  own_minute := date_trunc('minute', given.clicked_at);
  own_hour := date_trunc('hour', given.clicked_at);
  own_source := given.source;
  -- Processes of the version before do not name them.
  max_visitors := coalesce(given.max_visitors, 5);
  reported := case when coalesce(given.is_own_address, true) then '{}'::text[] else array[encode(given.visitor, 'hex')] end;
  select p.id, p.status, p.cookie_duration, p.website_domain, p.website, p.landing_page_url, p.allowed_landing_pages,
      p.allow_custom_destinations, l.target_url,
      coalesce(p.tracking_requires_consent, m.tracking_requires_consent) as requires_consent,
      a.id as affiliate_id, a.code as affiliate_code, a.status as affiliate_status, a.erased_at, l.id as link_id,
      l.id is null or l.is_active and l.deleted_at is null as is_active
    into target
    from program p join merchant m on m.id = p.merchant_id
    left join referral_code r on r.code = given.code
    left join affiliate a on a.id = r.affiliate_id and a.program_id = p.id
    left join link l on l.id = r.link_id and l.affiliate_id = a.id
    where p.id = coalesce(given.program_id,
      (select a.program_id from referral_code r join affiliate a on a.id = r.affiliate_id where r.code = given.code));
  program_id := target.id;
  affiliate_code := target.affiliate_code;
  cookie_duration := target.cookie_duration;
  website := target.website;
  landing_page_url := target.landing_page_url;
  target_url := case when target.is_active then target.target_url end;
  allowed_landing_pages := target.allowed_landing_pages;
  allow_custom_destinations := target.allow_custom_destinations;
  outcome := case
    when target.id is null then 'NOT_FOUND'
    when given.host is not null and not coalesce(is_host_of(given.host, target.website_domain), false) then 'FOREIGN_PAGE'
    when target.affiliate_id is null then 'UNKNOWN_CODE'
    when target.status <> 'active' then 'PROGRAM_INACTIVE'
    when target.erased_at is not null then 'AFFILIATE_ERASED'
    when target.affiliate_status <> 'approved' then 'AFFILIATE_BLOCKED'
    when not target.is_active then 'LINK_INACTIVE'
    when target.requires_consent and not given.has_consent then 'CONSENT_REQUIRED'
    when not given.is_counted then 'BOT'
    else 'ok' end;
  -- A conflicting insert would lock the row even where it changes nothing.
  if given.is_script and outcome not in ('NOT_FOUND', 'FOREIGN_PAGE') and not exists (
      select from script_load s where s.program_id = target.id and s.seen_at > given.clicked_at - interval '1 minute') then
    insert into script_load as s values (target.id, given.clicked_at, given.page)
      on conflict on constraint script_load_pkey do update set seen_at = excluded.seen_at, page = excluded.page;
  end if;
  if outcome <> 'ok' then return next; return; end if;
  -- Repeats wait for each other; what they read afterwards is a snapshot taken under the lock.
  perform pg_advisory_xact_lock(('x' || encode(substring(given.repeat_key from 1 for 8), 'hex'))::bit(64)::bigint);
  select c.id into click_id from click c
    where c.repeat_key = given.repeat_key and c.id >= first_uuid_at(given.clicked_at - interval '30 seconds') order by c.id desc limit 1;
  if click_id is not null then return next; return; end if;
  click_id := given.id;
  insert into click (id, program_id, affiliate_id, link_id, code, channel, page, referrer, source, campaign, visitor, address, browser,
      repeat_key)
    values (given.id, target.id, target.affiliate_id, target.link_id, given.code, given.channel, given.page, given.referrer,
      given.source, given.campaign, given.visitor, given.address, given.browser, given.repeat_key);
  -- Anyone may invent sources: an affiliate has a bounded number of rows per day.
  if not exists (select from click_count n where n.affiliate_id = target.affiliate_id and n.day = own_day and n.code = given.code
      and n.source = own_source)
    and 400 <= (select count(*) from (select from click_count n
      where n.affiliate_id = target.affiliate_id and n.day = own_day limit 400) as most) then
    own_source := 'other';
  end if;
  insert into click_count as n values (target.affiliate_id, own_day, given.code, own_source, own_shard, 1)
    on conflict on constraint click_count_pkey do update set clicks = n.clicks + 1;
  insert into click_total as n values (target.affiliate_id, given.code, own_shard, 1)
    on conflict on constraint click_total_pkey do update set clicks = n.clicks + 1, added_up = false;
  insert into click_minute as n (affiliate_id, minute, address, clicks, visitors)
    values (target.affiliate_id, own_minute, given.address, 1, reported)
    on conflict on constraint click_minute_pkey do update set clicks = n.clicks + 1,
      visitors = case when cardinality(n.visitors) > max_visitors or reported <@ n.visitors then n.visitors
        else n.visitors || reported end
    -- The address of a server that reports for many is nobody's.
    returning case when cardinality(n.visitors) > max_visitors then 0 else n.clicks end into minute_clicks;
  insert into click_hour as n values (target.affiliate_id, own_hour, own_shard, 1)
    on conflict on constraint click_hour_pkey do update set clicks = n.clicks + 1;
  select sum(n.clicks) into hour_clicks from click_hour n where n.affiliate_id = target.affiliate_id and n.hour = own_hour;
  if minute_clicks > given.max_per_minute or hour_clicks > given.max_per_hour then
    insert into click_alert values (target.affiliate_id, own_minute, minute_clicks, hour_clicks)
      on conflict on constraint click_alert_pkey do nothing;
    if found then alerted_affiliate_id := target.affiliate_id; end if;
  end if;
  return next;
end $$;
