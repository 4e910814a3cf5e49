-- What columns and indexes of several files depend on. An index keeps what its function returned, so these change by a migration only.
create extension if not exists pg_trgm;

-- The conversions of an affiliate are screened one after the other, those of different shards at the same time.
create function screening_shard(affiliate_id uuid) returns int language sql immutable strict as $$
  select get_byte(uuid_send(affiliate_id), 15) & 15;
$$;

create function next_event_position() returns bigint language plpgsql as $$
begin
  return pg_current_xact_id()::text::bigint + (select ahead from event_order);
end $$;

-- Partitions have a schema of their own, in which the application has no rights: it reaches them through their tables.
create schema partitions;
