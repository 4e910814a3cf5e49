-- Copies what the sales and sign-ups of a customer say: who attributed them, when they signed up, and when they paid first. Reads a few
-- index rows for each of the customer's ids: connections keep their plans, and one made while a table was small would go on scanning all of it.
create or replace function show_customer(shown uuid) returns void language sql set enable_seqscan = off as $$
  update customer c set external_id = f.external_id, affiliate_id = f.affiliate_id, attributed_at = f.attributed_at,
      identified_at = f.identified_at, first_paid_at = f.paid_at,
      status = case when f.paid_at is not null then 'customer' when f.identified_at is not null then 'lead' end
    from (
      select min(t.paid_at) as paid_at, min(t.identified_at) as identified_at, max(t.attributed_at) as attributed_at,
        (array_agg(t.affiliate_id order by t.attributed_at desc, t.evidence_id desc) filter (where t.attributed_at is not null))[1] as affiliate_id,
        -- An id that the merchant knows, rather than one made for a guest or a sale.
        (array_agg(i.value order by i.value like any (array['guest\_%', 'sale\_%']), i.created_at, i.value))[1] as external_id
      from customer_identity i
        cross join lateral (
          select e.affiliate_id, e.attributed_at, e.id as evidence_id,
            (select min(s.occurred_at) from sale s where s.program_id = i.program_id and s.customer_id = i.value) as paid_at,
            (select min(n.occurred_at) from customer_identification n where n.program_id = i.program_id and n.customer_id = i.value) as identified_at
          from (select 1) as one left join lateral (
            (select s.matched_affiliate_id as affiliate_id, s.attributed_at, s.id from sale s
              where s.program_id = i.program_id and s.customer_id = i.value and s.attributed_at is not null
              order by s.attributed_at desc, s.id desc limit 1)
            union all
            (select n.affiliate_id, n.attributed_at, n.id from customer_identification n
              where n.program_id = i.program_id and n.customer_id = i.value
              order by n.attributed_at desc, n.id desc limit 1)
            order by attributed_at desc, id desc limit 1) as e on true) t
      where i.customer_id = shown and i.kind = 'id') f
    where c.id = shown and (c.external_id, c.affiliate_id, c.attributed_at, c.identified_at, c.first_paid_at)
      is distinct from (f.external_id, f.affiliate_id, f.attributed_at, f.identified_at, f.paid_at);
$$;

create or replace function show_customer_of_row() returns trigger language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  known uuid;
begin
  select i.customer_id into known from customer_identity i
    where i.program_id = new.program_id and i.kind = 'id' and i.value = new.customer_id;
  -- Processes of the version before do not name the customer of a sale or sign-up.
  if tg_op = 'INSERT' and known is null then
    known := know_customer(new.program_id, array[new.customer_id], to_jsonb(new) ->> 'customer_canonical_digest', uuidv7(), new.created_at) ->> 'id';
  end if;
  if tg_op = 'UPDATE' and new.program_id <> old.program_id then
    perform show_customer(i.customer_id) from customer_identity i
      where i.program_id = old.program_id and i.kind = 'id' and i.value = old.customer_id;
  end if;
  if known is not null then perform show_customer(known); end if;
  return null;
end $$;
create or replace trigger sale_shows_customer after insert or update of program_id, attributed_at, matched_affiliate_id on sale
  for each row execute function show_customer_of_row();
create or replace trigger identification_shows_customer after insert on customer_identification
  for each row execute function show_customer_of_row();
