-- Partitioned by month of its id, a UUID of version 7 that is also its token. Addresses and visitors are keyed hashes.
create table click (
  id uuid primary key,
  program_id uuid not null,
  affiliate_id uuid not null,
  -- Null for the affiliate's own code.
  link_id uuid,
  code text not null,
  channel text not null check (channel in ('page','redirect')),
  -- Without their queries, which may contain personal data.
  page text,
  referrer text,
  source text not null,
  campaign jsonb not null,
  visitor bytea not null,
  address bytea not null,
  -- Of address and browser. The visitor is the same without an id of its own.
  browser bytea not null,
  -- The same for repeats: visitor, code and page.
  repeat_key bytea not null
) partition by range (id);
create index click_repeated on click (repeat_key, id desc);
create index click_of_program on click (program_id, id desc);

-- Numbers of clicks, spread over shards so that clicks do not queue. They outlive the clicks.
create table click_count (
  affiliate_id uuid not null,
  day date not null,
  code text not null,
  source text not null,
  shard smallint not null,
  clicks bigint not null,
  primary key (affiliate_id, day, code, source, shard)
) with (fillfactor = 80);

create table click_total (
  affiliate_id uuid not null,
  code text not null,
  shard smallint not null,
  clicks bigint not null,
  -- Whether affiliate_totals contains it.
  added_up boolean not null default false,
  primary key (affiliate_id, code, shard)
) with (fillfactor = 80);
create index click_total_new on click_total (affiliate_id) where not added_up;

-- Clicks by the hour, and by the minute of one address: what the fraud rules compare with their limits.
create table click_hour (
  affiliate_id uuid not null,
  hour timestamptz(3) not null,
  shard smallint not null,
  clicks int not null,
  primary key (affiliate_id, hour, shard)
) with (fillfactor = 80);
create index click_hour_by_time on click_hour (hour);

create table click_minute (
  affiliate_id uuid not null,
  minute timestamptz(3) not null,
  address bytea not null,
  clicks int not null,
  primary key (affiliate_id, minute, address)
) with (fillfactor = 80);
create index click_minute_by_time on click_minute (minute);

-- Minutes in which the clicks of an affiliate were above a limit, for the screening.
create table click_alert (
  affiliate_id uuid not null,
  minute timestamptz(3) not null,
  clicks_per_minute int not null,
  clicks_per_hour int not null,
  handled_at timestamptz(3),
  primary key (affiliate_id, minute)
);
create index click_alert_by_time on click_alert (minute);

-- When and where a browser last ran the script of a program. Written at most once a minute.
create table script_load (
  program_id uuid primary key,
  seen_at timestamptz(3) not null,
  page text not null
);
create index click_alert_unhandled on click_alert (screening_shard(affiliate_id), affiliate_id, minute) where handled_at is null;
create table partitions.click_default partition of click default;
