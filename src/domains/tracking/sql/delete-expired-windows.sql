-- Numbers that nothing compares or adds up any more. Returns how many were deleted.
create or replace function delete_expired_windows(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  bound int := least(most, 10000);
  deleted int;
  total int := 0;
begin
  delete from click_minute where ctid = any(array(select ctid from click_minute where minute < now() - interval '1 day' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from click_alert where ctid = any(array(
    select ctid from click_alert where minute < now() - interval '1 day' and handled_at is not null limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from click_hour where ctid = any(array(select ctid from click_hour where hour < now() - interval '31 days' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from conversion_hour where ctid = any(array(select ctid from conversion_hour where hour < now() - interval '31 days' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  -- Periods start at most 90 days ago.
  delete from conversion_sum where ctid = any(array(
    select ctid from conversion_sum where span = 'quarter' and starts_at < now() - interval '100 days' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from affiliate_session where ctid = any(array(select ctid from affiliate_session where seen_at < now() - interval '31 days' limit bound));
  get diagnostics deleted = row_count;
  return total + deleted;
end $$;
revoke execute on function delete_expired_windows from public;
grant execute on function delete_expired_windows to tributary_app;
