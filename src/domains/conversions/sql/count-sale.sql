create or replace function count_sale() returns trigger language plpgsql as $$
declare
  own_shard int := counter_shard();
  everywhere uuid := '00000000-0000-0000-0000-000000000000';
begin
  if tg_op = 'UPDATE' then
    if (new.reason is null) = (old.reason is null) and new.program_id = old.program_id then return null; end if;
    insert into row_counter select 'sale', old.merchant_id, place, case when old.reason is null then 'attributed' else 'unattributed' end, own_shard, -1
    from unnest(array[everywhere, old.program_id]) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount - 1;
  end if;
  insert into row_counter select 'sale', new.merchant_id, place, case when new.reason is null then 'attributed' else 'unattributed' end, own_shard, 1
  from unnest(array[everywhere, new.program_id]) as place
  on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + 1;
  return null;
end $$;
create or replace trigger sale_counted after insert or update of reason, program_id on sale
  for each row execute function count_sale();
