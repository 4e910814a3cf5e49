-- sign: 1 to add the conversion to the sums, -1 to take it out of them.
create or replace function change_conversion_sums(changed conversion, sign smallint) returns void language plpgsql as $$
begin
  insert into conversion_change (merchant_id, program_id, created_at, currency, status, conversions, revenue, commission, unapproved)
  values (changed.merchant_id, changed.program_id, changed.created_at, changed.currency, changed.status, sign,
    sign * (changed.amount - changed.refunded)::numeric, sign * changed.commission::numeric,
    case when changed.approved_at is null then sign * changed.commission::numeric else 0 end);
end $$;

create or replace function sum_conversion() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform change_conversion_sums(old, -1::smallint); end if;
  if tg_op <> 'DELETE' then perform change_conversion_sums(new, 1::smallint); end if;
  return null;
end $$;
create or replace trigger conversion_summed after insert or delete on conversion
  for each row execute function sum_conversion();
-- Not for what changes more often and is not summed, such as the screening.
create or replace trigger conversion_sum_changed after update on conversion
  for each row when ((old.merchant_id, old.program_id, old.created_at, old.currency, old.status, old.amount, old.refunded, old.commission,
      old.approved_at is null)
    is distinct from (new.merchant_id, new.program_id, new.created_at, new.currency, new.status, new.amount, new.refunded, new.commission,
      new.approved_at is null))
  execute function sum_conversion();
