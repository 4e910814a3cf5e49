-- The browsers of a person who is erased. The application may not delete them.
create or replace function erase_sessions(profile uuid) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from affiliate_session where profile_id = profile;
$$;
revoke execute on function erase_sessions from public;
grant execute on function erase_sessions to tributary_app;
