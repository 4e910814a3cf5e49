-- The person as a customer, in sales, of which nothing stays that a merchant said of them. `ids` are the customer ids that name the person, and the clicks are those of their sales.
create or replace function erase_customer(address text, digest text, ids text[], pseudonym text, after_sale uuid, most int)
returns table (erased int, last_sale uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare found uuid[];
begin
  select array_agg(page.id) filter (where page.customer_email_digest = digest or lower(page.customer_id) = any(ids)
      or names_term(concat(page.metadata, ' ', page.evidence), array[address])),
    case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end
    into found, last_sale
    from (select s.* from sale s where after_sale is null or s.id > after_sale order by s.id limit least(most, 10000)) page;
  perform erase_clicks(array(select (s.evidence ->> 'clickId')::uuid from sale s where s.id = any(found) and s.customer_email_digest = digest));
  update sale s set customer_email_digest = nullif(s.customer_email_digest, digest),
    customer_canonical_digest = case when s.customer_email_digest is distinct from digest then s.customer_canonical_digest end,
    customer_email_domain = case when s.customer_email_digest is distinct from digest then s.customer_email_domain end,
    customer_id = case when lower(s.customer_id) = any(ids) then pseudonym || '_' || array_position(ids, lower(s.customer_id)) else s.customer_id end,
    metadata = case when s.customer_email_digest is distinct from digest then without_terms(s.metadata::text, array[address])::jsonb end, evidence = without_terms(s.evidence::text, array[address])::jsonb
    where s.id = any(found);
  get diagnostics erased = row_count;
  return next;
end $$;
revoke execute on function erase_customer from public;
grant execute on function erase_customer to tributary_app;
