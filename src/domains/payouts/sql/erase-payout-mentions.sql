-- A person in notes on payouts of others: their address in all, their names in those of the merchants who know them. Walks the payouts.
create or replace function erase_payout_mentions(address text, names text[], merchants uuid[], after_payout uuid, most int)
returns table (erased int, last_payout uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found uuid[];
  changed int;
begin
  select array_agg(page.id), case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end
    into found, last_payout
    from (select o.id from payout o where after_payout is null or o.id > after_payout order by o.id limit least(most, 10000)) page;
  erased := 0;
  update payout o set notes = without_terms(o.notes, mentions(address, names, o.merchant_id = any(merchants)))
    where o.id = any(found) and names_term(o.notes, mentions(address, names, o.merchant_id = any(merchants)));
  get diagnostics changed = row_count;
  erased := erased + changed;
  update payout_timeline t set note = without_terms(t.note, mentions(address, names, o.merchant_id = any(merchants))) from payout o
    where o.id = any(found) and t.payout_id = o.id and names_term(t.note, mentions(address, names, o.merchant_id = any(merchants)));
  get diagnostics changed = row_count;
  erased := erased + changed;
  update payout_contradiction k set note = without_terms(k.note, mentions(address, names, o.merchant_id = any(merchants))) from payout o
    where o.id = any(found) and k.payout_id = o.id and names_term(k.note, mentions(address, names, o.merchant_id = any(merchants)));
  get diagnostics changed = row_count;
  erased := erased + changed;
  update payout_correction k set note = without_terms(k.note, mentions(address, names, o.merchant_id = any(merchants))),
    evidence = without_terms(k.evidence, mentions(address, names, o.merchant_id = any(merchants))) from payout o
    where o.id = any(found) and k.payout_id = o.id
      and names_term(concat(k.note, ' ', k.evidence), mentions(address, names, o.merchant_id = any(merchants)));
  get diagnostics changed = row_count;
  erased := erased + changed;
  return next;
end $$;
revoke execute on function erase_payout_mentions from public;
grant execute on function erase_payout_mentions to tributary_app;
