create or replace function create_affiliate_totals() returns trigger language plpgsql as $$
begin
  insert into affiliate_totals (affiliate_id, program_id, merchant_id) values (new.id, new.program_id, new.merchant_id);
  return null;
end $$;
create or replace trigger affiliate_has_totals after insert on affiliate
  for each row execute function create_affiliate_totals();
