create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;
create or replace trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
