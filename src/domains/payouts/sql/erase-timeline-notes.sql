-- What merchants wrote about the person in timelines, which the application may not change.
create or replace function erase_timeline_notes(members uuid[], terms text[]) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
  update payout_timeline t set note = without_terms(t.note, terms) from payout o
    where t.payout_id = o.id and o.affiliate_id = any(members) and t.note is not null;
$$;
revoke execute on function erase_timeline_notes from public;
grant execute on function erase_timeline_notes to tributary_app;
