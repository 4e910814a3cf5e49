-- Expired rows in the default partitions, late attempts of old deliveries mostly, and expired replays. Returns how many were deleted.
create or replace function delete_expired_webhook_rows(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  attempts int;
  deliveries int;
  events int;
  replays int;
  oldest uuid := first_uuid_at(now() - kept_for('webhook_event'));
begin
  delete from partitions.webhook_attempt_default where (delivery_id, n) in (
    select a.delivery_id, a.n from partitions.webhook_attempt_default a
    where a.delivery_id < first_uuid_at(now() - kept_for('webhook_attempt')) and a.started_at <= now() - kept_for('webhook_attempt')
      and not exists (select from public.webhook_delivery d where d.id = a.delivery_id and d.status = 'pending')
    limit least(most, 10000));
  get diagnostics attempts = row_count;
  delete from partitions.webhook_delivery_default where (id, event_id) in (
    select id, event_id from partitions.webhook_delivery_default
    where event_id < oldest and status not in ('pending', 'parked') limit least(most, 10000) for update skip locked);
  get diagnostics deliveries = row_count;
  delete from partitions.webhook_event_default where id in (
    select e.id from partitions.webhook_event_default e
    where e.id < oldest and not exists (select from public.webhook_delivery d where d.event_id = e.id) limit least(most, 10000));
  get diagnostics events = row_count;
  delete from webhook_replay where id in (
    select id from webhook_replay where id < oldest and state <> 'running' order by id limit least(most, 10000) for update skip locked);
  get diagnostics replays = row_count;
  return attempts + deliveries + events + replays;
end $$;
revoke execute on function delete_expired_webhook_rows from public;
grant execute on function delete_expired_webhook_rows to tributary_app;
