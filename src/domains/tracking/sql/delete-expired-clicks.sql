-- Clicks older than the cookie window of their program and 30 days, of up to 100 programs after the given one. Their numbers
-- stay. The last program is null when there are no more.
create or replace function delete_expired_clicks(after_program uuid, most int) returns table (deleted int, last_program uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  select case when count(*) = 100 then max(id::text)::uuid end into last_program
    from (select id from program where after_program is null or id > after_program order by id limit 100) as page;
  delete from click where id in (
    select expired.id
    from (select id, cookie_duration from program where after_program is null or id > after_program order by id limit 100) p
    cross join lateral (
      select c.id from click c
      where c.program_id = p.id and c.id < first_uuid_at(now() - make_interval(days => p.cookie_duration + 30))
      order by c.id limit least(most, 10000)) as expired
    limit least(most, 10000));
  get diagnostics deleted = row_count;
  return next;
end $$;
revoke execute on function delete_expired_clicks from public;
grant execute on function delete_expired_clicks to tributary_app;
