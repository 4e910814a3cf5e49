-- Customers by status. One of whom only the identities are known, and one that was joined into another, are not counted.
create or replace function count_customer() returns trigger language plpgsql as $$
declare
  own_shard int := counter_shard();
  everywhere uuid := '00000000-0000-0000-0000-000000000000';
begin
  if tg_op = 'UPDATE' then
    if new.status is not distinct from old.status then return null; end if;
    if old.status is not null then
      insert into row_counter select 'customer', old.merchant_id, place, old.status, own_shard, -1
      from unnest(array[everywhere, old.program_id]) as place
      on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount - 1;
    end if;
  end if;
  if new.status is not null then
    insert into row_counter select 'customer', new.merchant_id, place, new.status, own_shard, 1
    from unnest(array[everywhere, new.program_id]) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + 1;
  end if;
  return null;
end $$;
create or replace trigger customer_counted after insert or update of status on customer
  for each row execute function count_customer();
