-- Mails that were sent or given up.
create or replace function delete_expired_mails(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare deleted int;
begin
  delete from mail where id in (
    select id from mail where id < first_uuid_at(now() - kept_for('mail')) and status <> 'queued'
    order by id limit least(most, 10000) for update skip locked);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
revoke execute on function delete_expired_mails from public;
grant execute on function delete_expired_mails to tributary_app;
