-- As erase_customer, in sign-ups.
create or replace function erase_identifications(digest text, ids text[], pseudonym text, after_row uuid, most int)
returns table (erased int, last_row uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare found uuid[];
begin
  select array_agg(page.id) filter (where page.customer_email_digest = digest or lower(page.customer_id) = any(ids)),
    case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end
    into found, last_row
    from (select i.* from customer_identification i where after_row is null or i.id > after_row order by i.id limit least(most, 10000)) page;
  perform erase_clicks(array(select (i.evidence ->> 'clickId')::uuid from customer_identification i where i.id = any(found)));
  update customer_identification i set customer_email_digest = null, customer_email_domain = null,
    customer_id = case when lower(i.customer_id) = any(ids) then pseudonym || '_' || array_position(ids, lower(i.customer_id)) else i.customer_id end,
    evidence = without_terms(i.evidence::text, ids)::jsonb
    where i.id = any(found);
  get diagnostics erased = row_count;
  return next;
end $$;
revoke execute on function erase_identifications from public;
grant execute on function erase_identifications to tributary_app;
