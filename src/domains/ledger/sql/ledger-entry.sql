create or replace trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_change();

create or replace function ledger_must_balance() returns trigger language plpgsql as $$
begin
  if exists (select 1 from ledger_entry where transaction_id = new.transaction_id group by currency having sum(amount) <> 0) then
    raise exception 'ledger transaction % does not sum to zero', new.transaction_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
drop trigger if exists ledger_entry_balanced on ledger_entry;
create constraint trigger ledger_entry_balanced after insert on ledger_entry
  deferrable initially deferred for each row execute function ledger_must_balance();
