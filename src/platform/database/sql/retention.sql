-- Retention. The application may not delete, so the periods are here, and no parameter shortens them.
create or replace function kept_for(name text) returns interval language sql immutable strict as $$
  select case name when 'webhook_attempt' then interval '30 days' when 'rail_notification' then interval '400 days'
    when 'payout_evidence' then interval '400 days'
    when 'click' then interval '400 days' else interval '90 days' end;
$$;

-- Whether something in the partition may still change. Index probes only.
create or replace function is_partition_open(parent text, partition text, lower_bound uuid, upper_bound uuid) returns boolean language plpgsql as $$
declare is_open boolean;
begin
  -- The longest cookie window and 30 days are less than the period.
  if parent = 'click' then return false; end if;
  if parent = 'webhook_attempt' then
    execute format($query$select exists (select from public.webhook_delivery where status = 'pending' and not in_lane and id >= $1 and id < $2)
      or exists (select from public.webhook_delivery where status = 'pending' and in_lane and id >= $1 and id < $2)
      or exists (select from partitions.%I where started_at > now() - kept_for('webhook_attempt'))$query$, partition)
      into is_open using lower_bound, upper_bound;
  else
    select exists (select from public.webhook_delivery
        where status = 'pending' and not in_lane and event_id >= lower_bound and event_id < upper_bound)
      or exists (select from public.webhook_delivery
        where status = 'pending' and in_lane and event_id >= lower_bound and event_id < upper_bound)
      or exists (select from public.webhook_delivery where status = 'parked' and event_id >= lower_bound and event_id < upper_bound)
      or parent = 'webhook_event' and to_regclass('partitions.webhook_delivery' || right(partition, 8)) is not null
      into is_open;
  end if;
  return is_open;
end $$;

-- Drops one month whose last row has expired, unless something in it is open. The table is locked for the moment of the drop; what
-- is found under the lock decides. Both null: there is nothing to drop. Busy: the lock was not free, and later tries may succeed.
create or replace function drop_expired_partition() returns table (dropped text, busy boolean) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare expired record;
begin
  for expired in
    select m.*, first_uuid_at(m.month at time zone 'UTC') as lower_bound, first_uuid_at(m.ends_at) as upper_bound from (
      select t.parent, c.relname::text as partition, to_date(right(c.relname, 7), 'YYYY_MM')::timestamp as month,
        (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as ends_at
      from partitioned_tables() with ordinality as t (parent, key, position)
      join pg_inherits i on i.inhparent = ('public.' || t.parent)::regclass
      join pg_class c on c.oid = i.inhrelid and c.relname ~ '_\d{4}_\d\d$'
      order by t.position desc, c.relname) m
    where m.ends_at <= now() - kept_for(m.parent)
  loop
    continue when is_partition_open(expired.parent, expired.partition, expired.lower_bound, expired.upper_bound);
    begin
      execute format('lock table only public.%I in access exclusive mode', expired.parent);
      if not is_partition_open(expired.parent, expired.partition, expired.lower_bound, expired.upper_bound) then
        execute format('drop table partitions.%I', expired.partition);
        return query select expired.partition, false;
      end if;
      return;
    exception when lock_not_available then
      return query select null::text, true;
      return;
    end;
  end loop;
end $$;
revoke execute on function is_partition_open, drop_expired_partition from public;
grant execute on function drop_expired_partition to tributary_app;
