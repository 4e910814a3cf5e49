create or replace function list_program() returns trigger language plpgsql as $$
declare is_public boolean := new.status = 'active' and new.marketplace_status = 'public';
begin
  insert into marketplace_listing as l (program_id, is_public, category, commission, created_at)
  values (new.id, is_public, fold_text(new.marketplace_category), new.commission_percent * 100, new.created_at)
  on conflict (program_id) do update
    set is_public = excluded.is_public, category = excluded.category, commission = excluded.commission;
  insert into marketplace_refresh values (new.id, is_public, new.updated_at)
  on conflict (program_id) do update set is_public = excluded.is_public, due_at = excluded.due_at;
  return null;
end $$;
create or replace trigger program_listed
      after insert or update of status, marketplace_status, marketplace_category, commission_percent, stripe_connected_at on program
  for each row execute function list_program();
