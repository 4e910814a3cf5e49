-- What the marketplace sorts and filters by. One row for each program, made and kept by a trigger.
create table marketplace_listing (
  program_id uuid primary key,
  -- Active and public.
  is_public boolean not null,
  -- Lower case.
  category text,
  -- In hundredths of a percent.
  commission bigint not null,
  created_at timestamptz(3) not null,
  -- Refreshed by the relay role, as are the figures.
  is_ready boolean not null default false,
  -- Of the last 30 days: commission per click in ten-thousandths of the currency's unit, sales per click in hundredths of a percent.
  epc bigint not null default 0,
  conversion_rate bigint not null default 0
);
create index marketplace_by_epc on marketplace_listing (epc desc, program_id desc) where is_public and is_ready;
create index marketplace_by_conversion_rate on marketplace_listing (conversion_rate desc, program_id desc) where is_public and is_ready;
create index marketplace_by_commission on marketplace_listing (commission desc, program_id desc) where is_public and is_ready;
create index marketplace_newest on marketplace_listing (created_at desc, program_id desc) where is_public and is_ready;
-- Counts programs by any filter.
create index marketplace_filters on marketplace_listing (category, epc, commission) where is_public and is_ready;

-- When the figures of a program are computed next. Apart from them: it changes far more often.
create table marketplace_refresh (
  program_id uuid primary key,
  is_public boolean not null,
  due_at timestamptz(3) not null
) with (fillfactor = 80);
create index marketplace_refresh_due on marketplace_refresh (due_at, program_id) where is_public;

-- Sales and commissions by the day, of the last 30 days, so that a refresh reads few of them. A slot is a day modulo 30.
create table marketplace_day (
  program_id uuid not null,
  slot smallint not null check (slot between 0 and 29),
  day date not null,
  -- Those that came by a click and were not fully refunded.
  sales bigint not null,
  -- Less refunds, in minor units.
  commission numeric not null,
  computed_at timestamptz(3) not null,
  primary key (program_id, slot)
) with (fillfactor = 80);
