-- Codes that were made from the names of erased people become random ones, wherever they are shown or counted. The old ones stay reserved:
-- links with them must never credit anybody else.
create or replace function erase_name_codes(members uuid[]) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  named record;
  fresh text;
  replaced int := 0;
begin
  for named in
    select r.code, r.link_id, a.id, a.program_id from referral_code r join affiliate a on a.id = r.affiliate_id
    where r.affiliate_id = any(members) and r.from_name and a.erased_at is not null order by r.code
  loop
    fresh := 'e-' || left(translate(gen_random_uuid()::text, '-', ''), 12);
    insert into referral_code (code, affiliate_id, link_id) values (fresh, named.id, named.link_id);
    update referral_code set from_name = false where code = named.code;
    update affiliate set code = fresh, search_text = fresh where id = named.id and code = named.code;
    update link set code = fresh where affiliate_id = named.id and code = named.code;
    update click_total set code = fresh where affiliate_id = named.id and code = named.code;
    update click_count set code = fresh where affiliate_id = named.id and code = named.code;
    update click set code = fresh where program_id = named.program_id and affiliate_id = named.id and code = named.code;
    update payout set affiliate_code = fresh, search_text = fresh where affiliate_id = named.id and affiliate_code = named.code;
    replaced := replaced + 1;
  end loop;
  return replaced;
end $$;
revoke execute on function erase_name_codes from public;
grant execute on function erase_name_codes to tributary_app;
