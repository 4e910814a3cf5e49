-- Stored responses, which live for a day. Encrypted ones show keys and secrets.
create or replace function erase_responses(address text, members text[], names text[]) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare erased int;
begin
  with changed as (
    select r.id, r.body as before, without_person(r.body, address, members, names) as after from idempotency_record r where not r.encrypted)
  update idempotency_record r set body = changed.after from changed where r.id = changed.id and changed.after <> changed.before;
  get diagnostics erased = row_count;
  return erased;
end $$;
revoke execute on function erase_responses from public;
grant execute on function erase_responses to tributary_app;
