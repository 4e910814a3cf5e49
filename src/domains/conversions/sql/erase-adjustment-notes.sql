-- What merchants wrote about the person in adjustments, which the application may not change.
create or replace function erase_adjustment_notes(members uuid[], terms text[]) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
  update commission_adjustment d set note = without_terms(d.note, terms) where d.affiliate_id = any(members) and d.note is not null;
$$;
revoke execute on function erase_adjustment_notes from public;
grant execute on function erase_adjustment_notes to tributary_app;
