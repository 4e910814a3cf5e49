-- Whether the transaction holds the key until it ends; false while another one does.
create or replace function lock_idempotency_key(key bytea) returns boolean language sql volatile as $$
  select pg_try_advisory_xact_lock(('x' || encode(substring(key from 1 for 8), 'hex'))::bit(64)::bigint);
$$;
