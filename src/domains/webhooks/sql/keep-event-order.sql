-- Called when a process migrates. The lock waits for transactions that already have a position.
create or replace function keep_event_order() returns boolean language plpgsql as $$
declare own_cluster bigint := (select system_identifier from pg_control_system());
begin
  if exists (select from event_order where cluster = own_cluster) then return false; end if;
  lock table webhook_event, webhook_replay in share mode;
  update event_order set cluster = own_cluster, ahead = greatest(ahead,
    (select coalesce(max(position), 0) + 1 from (select position from webhook_event union all select position from webhook_replay) known)
      - pg_snapshot_xmin(pg_current_snapshot())::text::bigint);
  return true;
end $$;
revoke execute on function keep_event_order from public;
