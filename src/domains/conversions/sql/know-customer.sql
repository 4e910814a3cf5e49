-- The customer whom these identities name, locked until the transaction ends; a new one if nobody has them. Identities of several
-- customers make those one, in the oldest of them. `own[1]` is the customer's id in the event, and `mailbox` counts where the program joins
-- by it. Identities are locked by name, in their order. Then customers are, the newest first: a customer is only ever joined into an older
-- one, so whoever follows that keeps the order, and nobody waits in a circle. Plans are kept, as planning for each list of names takes
-- longer than looking them up.
create or replace function know_customer(of_program uuid, own text[], mailbox text, new_id uuid, at timestamptz)
returns jsonb language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  -- More than this is no person but a placeholder, such as the address of the shop itself: nothing is joined by it.
  most constant int := 20;
  names text[] := own;
  kinds text[] := array_fill('id'::text, array[cardinality(own)]);
  owners uuid[];
  held uuid[] := '{}';
  awaited uuid;
  survivor uuid;
  added int;
begin
  -- Events of a placeholder do not wait for each other: a customer only ever gets more identities.
  if mailbox is not null and (select p.join_customers_by_email from program p where p.id = of_program)
    and (select count(*) from customer_identity m join customer_identity i on i.customer_id = m.customer_id
      where m.program_id = of_program and m.kind = 'mailbox' and m.value = mailbox) < most then
    names := names || mailbox;
    kinds := kinds || 'mailbox'::text;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(named.lock, 0)) from (
    select distinct 'customer:' || of_program || ':' || n.kind || ':' || n.value as lock from unnest(kinds, names) as n (kind, value)
    order by 1) named;
  loop
    select array_agg(distinct i.customer_id) into owners from unnest(kinds, names) as n (kind, value)
      join customer_identity i on i.program_id = of_program and i.kind = n.kind and i.value = n.value;
    select o into awaited from unnest(owners) as o where o <> all (held) order by o desc limit 1;
    exit when awaited is null;
    perform pg_advisory_xact_lock(hashtextextended('customer:' || awaited, 0));
    held := held || awaited;
  end loop;
  if cardinality(owners) is distinct from 1 or exists (select from unnest(kinds, names) as n (kind, value) where not exists (
      select from customer_identity i where i.program_id = of_program and i.kind = n.kind and i.value = n.value)) then
    if (select count(*) from (select i.kind, i.value from customer_identity i where i.customer_id = any (owners)
        union select n.kind, n.value from unnest(kinds, names) as n (kind, value)) as given) > most then
      names := own[1:1];
      kinds := kinds[1:1];
      select array_agg(i.customer_id) into owners from customer_identity i
        where i.program_id = of_program and i.kind = 'id' and i.value = own[1];
    end if;
    select o into survivor from unnest(owners) as o order by o limit 1;
    if survivor is null then
      survivor := new_id;
      insert into customer (id, merchant_id, program_id, external_id, created_at)
        select new_id, p.merchant_id, p.id, own[1], at from program p where p.id = of_program;
    end if;
    insert into customer_identity (program_id, kind, value, customer_id, created_at)
      select of_program, n.kind, n.value, survivor, at from unnest(kinds, names) as n (kind, value)
      on conflict (program_id, kind, value) do nothing;
    get diagnostics added = row_count;
    if cardinality(owners) > 1 then
      update customer_identity set customer_id = survivor where customer_id = any (owners) and customer_id <> survivor;
      update customer set joined_into = survivor, external_id = null, affiliate_id = null, attributed_at = null, identified_at = null,
          first_paid_at = null, status = null, is_settled = true
        where id = any (owners) and id <> survivor;
      update customer set is_settled = false where id = survivor;
    end if;
    -- A new customer has no sales yet, and shows its only id.
    if (owners is null and cardinality(own) > 1) or (owners is not null and (added > 0 or cardinality(owners) > 1)) then
      perform show_customer(survivor);
    end if;
  else
    survivor := owners[1];
  end if;
  return jsonb_build_object('id', survivor,
    'ids', (select jsonb_agg(i.value order by i.value) from customer_identity i where i.customer_id = survivor and i.kind = 'id'));
end $$;
