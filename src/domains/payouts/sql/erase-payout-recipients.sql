-- Where final payouts of erased people were sent. Others still need it. Returns how many were erased. Their locks come first, so that what
-- a bank says meanwhile about their payees is found, or is not stored.
create or replace function erase_payout_recipients(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare final uuid[];
begin
  select array_agg(page.id) into final from (
    select o.id from affiliate_profile f join affiliate a on a.profile_id = f.id join payout o on o.affiliate_id = a.id
    where f.erased_at is not null and o.details is not null and o.status in ('completed','failed') and not o.needs_attention
      and not exists (select from payout_contradiction k where k.payout_id = o.id and k.resolved_at is null)
    limit least(most, 10000) for update of o) page;
  update payout_attempt t set request = t.request - 'lastFour' where t.payout_id = any(final) and t.request ? 'lastFour';
  delete from payout_evidence e where e.payout_id = any(final);
  update bank_file_line l set suggested_name = null where l.payout_id = any(final) and l.suggested_name is not null;
  -- A file names all its payees. What of it is final, a bank has executed or will never execute.
  update bank_file b set content = null
    where b.id in (select l.file_id from bank_file_line l where l.payout_id = any(final)) and b.content is not null;
  update payout o set details = null, destination_hash = null where o.id = any(final);
  return coalesce(cardinality(final), 0);
end $$;
revoke execute on function erase_payout_recipients from public;
grant execute on function erase_payout_recipients to tributary_app;
