-- The profile, memberships, keys, links, invites and what merchants wrote about the person. Null when no profile has the address.
create or replace function erase_profile(address text, erased_at timestamptz)
returns table (profile_id uuid, memberships int, keys uuid[]) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  profile affiliate_profile;
  members uuid[];
  terms text[];
begin
  -- In the order of whoever claims an invite: the invites, then the profile. Foreign keys to it do not wait for it.
  perform from invite i where i.id in (
      select n.id from invite n where n.email = lower(address)
      union select p.invite_id from application p join affiliate_profile f on f.id = p.profile_id where lower(f.email) = lower(address))
    order by i.id for no key update;
  -- Also of somebody who never joined.
  update invite i set email = 'erased@erased.invalid', name = case when i.name is not null then '[erased]' end,
    expires_at = least(i.expires_at, erase_profile.erased_at)
    where i.email = lower(address);
  update stripe_problem s set note = without_terms(s.note, array[address]) where names_term(s.note, array[address]);
  select * into profile from affiliate_profile p where lower(p.email) = lower(address) for no key update;
  if profile.id is null then return; end if;
  select coalesce(array_agg(a.id), '{}'), array_agg(distinct a.name) into members, terms from affiliate a where a.profile_id = profile.id;
  terms := array_remove(array_append(array_append(terms, profile.name), address), null);
  update affiliate_profile p set email = 'erased-' || profile.id || '@erased.invalid', name = null, payout_method = null,
    payout_details = null, payout_details_changed_at = null, payout_digests = '{}', erased_at = erase_profile.erased_at, updated_at = erase_profile.erased_at
    where p.id = profile.id;
  update affiliate a set name = null, payout_method = null, payout_details = null, payout_details_changed_at = null, sort_name = '',
    search_text = a.code, blocked_reason = without_terms(a.blocked_reason, terms), updated_at = erase_profile.erased_at
    where a.id = any(members);
  update link l set name = '[erased]', updated_at = erase_profile.erased_at where l.affiliate_id = any(members);
  update application p set message = case when p.message is not null then '[erased]' end, note = without_terms(p.note, terms), search_text = '',
    updated_at = erase_profile.erased_at
    where p.profile_id = profile.id;
  update invite i set name = without_terms(i.name, terms) from application p
    where p.invite_id = i.id and p.profile_id = profile.id and i.name is not null;
  update payout o set notes = without_terms(o.notes, terms) where o.affiliate_id = any(members) and o.notes is not null;
  update payout_timeline t set note = without_terms(t.note, terms) from payout o
    where t.payout_id = o.id and o.affiliate_id = any(members) and t.note is not null;
  update payout_contradiction k set note = without_terms(k.note, terms) from payout o
    where k.payout_id = o.id and o.affiliate_id = any(members) and k.note is not null;
  -- In the order of a payout that fails: the payouts, then their items, then the flags that hold those.
  update commission_adjustment d set note = without_terms(d.note, terms) where d.affiliate_id = any(members) and d.note is not null;
  update flag f set note = without_terms(f.note, terms), details = without_names(f.details::text, terms)::jsonb
    where f.affiliate_id = any(members);
  delete from affiliate_session s where s.profile_id = profile.id;
  with owned as (
    update api_key k set name = '[erased]', revoked_at = coalesce(k.revoked_at, erase_profile.erased_at)
    where k.owner_id = profile.id returning k.id)
  select coalesce(array_agg(id), '{}') into keys from owned;
  profile_id := profile.id;
  memberships := cardinality(members);
  return next;
end $$;
revoke execute on function erase_profile from public;
grant execute on function erase_profile to tributary_app;
