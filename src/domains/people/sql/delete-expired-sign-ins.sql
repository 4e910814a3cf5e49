-- Links, codes and challenges that ended a day ago.
create or replace function delete_expired_sign_ins(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare deleted int;
begin
  delete from sign_in where id in (
    select id from sign_in where expires_at < now() - interval '1 day'
    order by expires_at limit least(most, 10000) for update skip locked);
  get diagnostics deleted = row_count;
  delete from passkey_challenge where id in (
    select id from passkey_challenge where expires_at < now() - interval '1 day'
    order by expires_at limit least(most, 10000) for update skip locked);
  return deleted;
end $$;
revoke execute on function delete_expired_sign_ins from public;
grant execute on function delete_expired_sign_ins to tributary_app;
