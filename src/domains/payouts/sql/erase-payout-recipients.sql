-- Where final payouts of erased people were sent. Others still need it. Returns how many were erased.
create or replace function erase_payout_recipients(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare erased int;
begin
  with final as (
    select o.id from affiliate_profile f join affiliate a on a.profile_id = f.id join payout o on o.affiliate_id = a.id
    where f.erased_at is not null and o.details is not null and o.status in ('completed','failed') and not o.needs_attention
      and not exists (select from payout_contradiction k where k.payout_id = o.id and k.resolved_at is null)
    limit least(most, 10000)),
  attempts as (
    update payout_attempt t set request = t.request - 'lastFour' from final where t.payout_id = final.id and t.request ? 'lastFour'),
  names as (
    update bank_file_line l set suggested_name = null from final where l.payout_id = final.id and l.suggested_name is not null),
  -- A file names all its payees. What of it is final, a bank has executed or will never execute.
  files as (
    update bank_file b set content = null from bank_file_line l, final
    where l.payout_id = final.id and b.id = l.file_id and b.content is not null)
  update payout o set details = null, destination_hash = null from final where o.id = final.id;
  get diagnostics erased = row_count;
  return erased;
end $$;
revoke execute on function erase_payout_recipients from public;
grant execute on function erase_payout_recipients to tributary_app;
