-- No UUID of version 7 that is made at that time or later is smaller.
create or replace function first_uuid_at(at timestamptz) returns uuid language sql immutable strict as $$
  select (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-0000-0000-000000000000')::uuid
  from (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex) as time;
$$;

create or replace function partitioned_tables() returns table (parent text, key text) language sql immutable as $$
  values ('webhook_event', 'id'), ('webhook_delivery', 'event_id'), ('webhook_attempt', 'delivery_id'), ('click', 'id');
$$;

-- Rows of the month that are in the default partition move. Readers and writers of the default partition wait meanwhile; those of
-- months do not. False: the partition exists.
create or replace function create_partition(parent text, key text, month date) returns boolean language plpgsql as $$
declare
  name text := parent || to_char(month, '"_"YYYY"_"MM');
  lower_bound uuid := first_uuid_at(month::timestamp at time zone 'UTC');
  upper_bound uuid := first_uuid_at((month + interval '1 month') at time zone 'UTC');
  own_rows text := format('%1$I >= %2$L and %1$I < %3$L', key, lower_bound, upper_bound);
begin
  if to_regclass('partitions.' || name) is not null then return false; end if;
  execute format('create table partitions.%I (like public.%I including all)', name, parent);
  -- Attaching relies on the constraint instead of scanning the rows again.
  execute format('alter table partitions.%I add constraint month check (%s)', name, own_rows);
  execute format('lock table partitions.%I in access exclusive mode', parent || '_default');
  execute format('with moved as (delete from partitions.%I where %s returning *) insert into partitions.%I select * from moved',
    parent || '_default', own_rows, name);
  execute format('alter table public.%I attach partition partitions.%I for values from (%L) to (%L)',
    parent, name, lower_bound, upper_bound);
  execute format('alter table partitions.%I drop constraint month', name);
  return true;
end $$;

-- Creates the partitions of this month and the next three. Returns how many were missing. One caller at a time: others return 0.
create or replace function ensure_partitions() returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '500ms' as $$
begin
  if not pg_try_advisory_xact_lock(7206522) then return 0; end if;
  return (
    select count(*) filter (where create_partition(t.parent, t.key,
      (date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date))
    from partitioned_tables() t, generate_series(0, 3) as ahead);
end $$;
revoke execute on function create_partition, ensure_partitions from public;
grant execute on function ensure_partitions to tributary_app;
