-- As `erase_payout_mentions`, in adjustments and what was asked for. Walks the adjustments.
create or replace function erase_adjustment_mentions(address text, names text[], merchants uuid[], after_adjustment uuid, most int)
returns table (erased int, last_adjustment uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found uuid[];
begin
  select array_agg(page.id), case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end
    into found, last_adjustment
    from (select d.id from commission_adjustment d where after_adjustment is null or d.id > after_adjustment
      order by d.id limit least(most, 10000)) page;
  update commission_adjustment d set note = without_terms(d.note, mentions(address, names, a.merchant_id = any(merchants))) from affiliate a
    where d.id = any(found) and a.id = d.affiliate_id
      and names_term(d.note, mentions(address, names, a.merchant_id = any(merchants)));
  get diagnostics erased = row_count;
  return next;
end $$;
revoke execute on function erase_adjustment_mentions from public;
grant execute on function erase_adjustment_mentions to tributary_app;
