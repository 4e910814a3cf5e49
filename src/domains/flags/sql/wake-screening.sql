-- Wakes the workflow that screens the conversions of an affiliate. Rows become due twice a second, so that one call serves many.
create or replace function wake_screening(affiliate_id uuid) returns void language sql as $$
  insert into outbox (topic, priority, subject_id, suffix, payload, not_before, next_attempt_at)
  select 'screening.wake', 1, ('00000000-0000-0000-0000-0000000000' || lpad(to_hex(shard), 2, '0'))::uuid, null,
    jsonb_build_object('shard', shard), due, due
  from (select screening_shard(affiliate_id) as shard, to_timestamp(ceil(extract(epoch from now()) * 2) / 2) as due) as target;
$$;

create or replace function wake_screening() returns trigger language plpgsql as $$
begin
  perform wake_screening(new.affiliate_id);
  return null;
end $$;
create or replace trigger conversion_unscreened_wakes after insert on conversion
  for each row when (new.screened_at is null) execute function wake_screening();
