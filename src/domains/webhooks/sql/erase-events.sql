-- Events of the webhooks. The trigger lets nothing else change their bodies, and the application has no right to set them.
create or replace function erase_events(address text, ids text[], members text[], names text[], after_event uuid, most int)
returns table (erased int, last_event uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp set tributary.erasing = 'on' as $$
begin
  select case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end into last_event
    from (select e.id from webhook_event e where after_event is null or e.id > after_event order by e.id limit least(most, 10000)) page;
  with changed as (
    select e.id, convert_from(e.body, 'UTF8') as before,
      without_terms(without_person(convert_from(e.body, 'UTF8'), address, members, names), ids) as after
    from webhook_event e where (after_event is null or e.id > after_event) and (last_event is null or e.id <= last_event))
  update webhook_event e set body = convert_to(changed.after, 'UTF8') from changed where e.id = changed.id and changed.after <> changed.before;
  get diagnostics erased = row_count;
  return next;
end $$;
revoke execute on function erase_events from public;
grant execute on function erase_events to tributary_app;
