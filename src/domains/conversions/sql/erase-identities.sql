-- As erase_customer, in what names the person: the mailbox is forgotten, and ids that are written in several ways become one.
create or replace function erase_identities(mailbox text, ids text[], pseudonym text) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owners uuid[];
  erased int;
begin
  select array_agg(distinct i.customer_id) into owners from customer_identity i where lower(i.value) = any (ids || lower(mailbox));
  delete from customer_identity i where lower(i.value) = lower(mailbox) and i.kind = 'mailbox' and i.value = mailbox;
  delete from customer_identity i where i.kind = 'id' and lower(i.value) = any (ids) and exists (
    select from customer_identity other where other.program_id = i.program_id and other.kind = 'id' and lower(other.value) = lower(i.value)
      and other.value < i.value);
  update customer_identity i set value = pseudonym || '_' || array_position(ids, lower(i.value))
    where i.kind = 'id' and lower(i.value) = any (ids);
  get diagnostics erased = row_count;
  update customer c set external_id = pseudonym || '_' || array_position(ids, lower(c.external_id))
    where c.id = any (owners) and lower(c.external_id) = any (ids);
  return erased;
end $$;
revoke execute on function erase_identities from public;
grant execute on function erase_identities to tributary_app;
