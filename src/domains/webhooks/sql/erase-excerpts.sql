-- What receivers returned, where it repeats the address.
create or replace function erase_excerpts(address text, after_delivery uuid, most int)
returns table (erased int, last_delivery uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare until uuid;
begin
  -- Whole deliveries: their attempts are few.
  select case when count(*) = least(most, 10000) then (array_agg(page.delivery_id order by page.delivery_id desc))[1] end into last_delivery
    from (select a.delivery_id from webhook_attempt a where after_delivery is null or a.delivery_id > after_delivery
      order by a.delivery_id, a.n limit least(most, 10000)) page;
  update webhook_attempt a set response_excerpt = null, response_headers = null
    where (after_delivery is null or a.delivery_id > after_delivery) and (last_delivery is null or a.delivery_id <= last_delivery)
      and names_term(concat(encode(a.response_excerpt, 'escape'), ' ', a.response_headers), array[address]);
  get diagnostics erased = row_count;
  return next;
end $$;
revoke execute on function erase_excerpts from public;
grant execute on function erase_excerpts to tributary_app;
