-- Two transactions that change several counters would wait for each other in a circle. Numbers of closed connections are used
-- again: there are as many shards as connections at a time.
create or replace function counter_shard() returns int language plpgsql as $$
declare own text := current_setting('tributary.counter_shard', true);
begin
  if own is null or own = '' then
    own := (select n from pg_stat_get_backend_idset() as n where pg_stat_get_backend_pid(n) = pg_backend_pid());
    perform set_config('tributary.counter_shard', own, false);
  end if;
  return own;
end $$;

create or replace function count_rows() returns trigger language plpgsql as $$
declare
  own_shard int := counter_shard();
  -- The merchant's total has a row of its own: it is read without adding up those of all programs.
  places uuid[] := array['00000000-0000-0000-0000-000000000000'::uuid];
begin
  if tg_op = 'UPDATE' and new.status = old.status then return null; end if;
  if tg_table_name <> 'program' then
    if tg_op = 'INSERT' then places := places || new.program_id; else places := places || old.program_id; end if;
  end if;
  if tg_op <> 'INSERT' then
    insert into row_counter select tg_table_name, old.merchant_id, place, old.status, own_shard, -1 from unnest(places) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount - 1;
  end if;
  if tg_op <> 'DELETE' then
    insert into row_counter select tg_table_name, new.merchant_id, place, new.status, own_shard, 1 from unnest(places) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + 1;
  end if;
  return null;
end $$;
create or replace trigger program_counted after insert or update of status or delete on program
  for each row execute function count_rows();
create or replace trigger affiliate_counted after insert or update of status or delete on affiliate
  for each row execute function count_rows();
create or replace trigger application_counted after insert or update of status or delete on application
  for each row execute function count_rows();
create or replace trigger conversion_counted after insert or update of status or delete on conversion
  for each row execute function count_rows();
create or replace trigger flag_counted after insert or update of status or delete on flag
  for each row execute function count_rows();
create or replace trigger payout_counted after insert or update of status or delete on payout
  for each row execute function count_rows();
