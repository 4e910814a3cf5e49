-- What providers said. Of notifications only those that were handled: one that no attempt matched stays. Returns how many were deleted of the
-- kind of which there were more.
create or replace function delete_expired_notifications(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted int;
  evidence int;
begin
  delete from rail_notification where id in (
    select id from rail_notification where id < first_uuid_at(now() - kept_for('rail_notification')) and handled_at is not null
    order by id limit least(most, 10000) for update skip locked);
  get diagnostics deleted = row_count;
  delete from payout_evidence where id in (
    select id from payout_evidence where id < first_uuid_at(now() - kept_for('payout_evidence'))
    order by id limit least(most, 10000) for update skip locked);
  get diagnostics evidence = row_count;
  return greatest(deleted, evidence);
end $$;
revoke execute on function delete_expired_notifications from public;
grant execute on function delete_expired_notifications to tributary_app;
