-- Screened conversions by the hour. Written by the screening only, so that sales do not wait for each other.
create table conversion_hour (
  affiliate_id uuid not null,
  hour timestamptz(3) not null,
  conversions int not null,
  -- Those whose sale came with a click.
  from_clicks int not null,
  primary key (affiliate_id, hour)
) with (fillfactor = 80);
create index conversion_hour_by_time on conversion_hour (hour);

create table flag (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  type text not null
    check (type in ('suspicious_activity','self_referral','high_click_frequency','conversion_anomaly','manual_review')),
  status text not null check (status in ('open','reviewed','dismissed','confirmed')),
  details jsonb,
  note text,
  conversion_count int not null default 0,
  created_at timestamptz(3) not null,
  newest_evidence_at timestamptz(3) not null,
  -- When flag_deadline_action of the merchant is applied.
  due_at timestamptz(3) not null,
  -- What was applied. Null before the deadline, and when a person was faster.
  deadline_action text check (deadline_action in ('keep_open','confirm','dismiss')),
  resolved_at timestamptz(3),
  -- The key; null for the deadline.
  resolved_by uuid,
  -- Until then linked conversions are neither approved nor paid. A confirmed flag ends it when the last one is rejected.
  hold_ended_at timestamptz(3),
  reminders int not null default 0,
  -- How often its deadline was reached: evidence sets another one.
  deadlines int not null default 0,
  cancellation_ignored_at timestamptz(3),
  updated_at timestamptz(3) not null,
  version int not null default 1,
  check ((status = 'open') = (resolved_at is null)),
  check (status = 'confirmed' or (resolved_at is null) = (hold_ended_at is null)),
  check (resolved_at <= hold_ended_at)
);
create unique index flag_open on flag (affiliate_id, type) where status = 'open';
create index flag_unfinished on flag (id) where hold_ended_at is null;
create index flag_holding on flag (affiliate_id) where hold_ended_at is null;
create index flag_holding_of_merchant on flag (merchant_id, affiliate_id) where hold_ended_at is null;
create index flag_of_merchant on flag (merchant_id, created_at desc, id desc);
create index flag_by_status on flag (merchant_id, status, created_at desc, id desc);
create index flag_by_type on flag (merchant_id, type, created_at desc, id desc);
create index flag_of_program on flag (program_id, created_at desc, id desc);
create index flag_of_affiliate on flag (affiliate_id, created_at desc, id desc);
create statistics flag_owners (dependencies) on merchant_id, program_id, affiliate_id from flag;

create table flag_conversion (
  flag_id uuid not null references flag deferrable initially deferred,
  conversion_id uuid not null references conversion deferrable initially deferred,
  primary key (flag_id, conversion_id)
);
create index flag_conversion_of_conversion on flag_conversion (conversion_id);
