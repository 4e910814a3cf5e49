-- Volatile, so that the record is read with a snapshot taken after the lock was won.
create or replace function reserve_idempotency_key(key bytea, oldest timestamptz)
returns table (locked boolean, fingerprint bytea, status int, body text, encrypted boolean)
language plpgsql volatile as $$
begin
  if not lock_idempotency_key(key) then
    return query select false, null::bytea, null::int, null::text, null::boolean;
    return;
  end if;
  delete from idempotency_record r where r.id = key and r.created_at < oldest;
  return query select true, r.fingerprint, r.status, r.body, r.encrypted
    from (select 1) as one left join idempotency_record r on r.id = key;
end $$;
