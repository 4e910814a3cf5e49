create or replace function refuse_event_change() returns trigger language plpgsql as $$
begin
  -- Set by erase_events alone. Roles that could set it themselves have no right to update events.
  if current_setting('tributary.erasing', true) = 'on' then return new; end if;
  raise exception '% rows are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;
create or replace trigger webhook_event_immutable before update on webhook_event
  for each row execute function refuse_event_change();
