-- Balances that are owed, for the total of pending payouts. The trigger runs only when a balance becomes or ceases to be one.
create or replace function count_owed() returns trigger language plpgsql as $$
begin
  insert into row_counter select 'owed', new.merchant_id, place, 'owed', counter_shard(), case when new.payable > 0 then 1 else -1 end
  from unnest(array['00000000-0000-0000-0000-000000000000'::uuid, new.program_id]) as place
  on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + excluded.amount;
  return null;
end $$;
create or replace trigger ledger_balance_owed_first after insert on ledger_balance
  for each row when (new.payable > 0) execute function count_owed();
create or replace trigger ledger_balance_owed_changed after update of payable on ledger_balance
  for each row when ((old.payable > 0) <> (new.payable > 0)) execute function count_owed();
