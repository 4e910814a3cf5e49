-- The date in a time zone; in UTC where Postgres does not know the zone.
create or replace function local_date(given_at timestamptz, given_zone text) returns date language plpgsql stable as $$
begin
  return (given_at at time zone given_zone)::date;
exception when invalid_parameter_value then
  return (given_at at time zone 'UTC')::date;
end $$;

-- The day on which an entry is booked that is posted at a time: that day in the merchant's time zone, or the first one after the closed
-- months. Closing a month waits for the transactions that called this, and those that call it later see the closed month.
create or replace function booking_date(given_merchant uuid, given_at timestamptz) returns date language plpgsql as $$
declare
  day date;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('books:' || given_merchant, 0));
  select greatest(local_date(given_at, m.timezone),
    (select (max(p.month) + interval '1 month')::date from ledger_period p where p.merchant_id = m.id and p.closed_at is not null))
  into strict day from merchant m where m.id = given_merchant;
  return day;
end $$;

create or replace function refuse_closed_month() returns trigger language plpgsql as $$
begin
  if exists (select 1 from ledger_period p where p.merchant_id = new.merchant_id
      and p.month = date_trunc('month', new.booked_on::timestamp)::date and p.closed_at is not null) then
    raise exception 'the month of a ledger entry is closed' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create or replace trigger ledger_entry_open_month before insert on ledger_entry
  for each row execute function refuse_closed_month();
