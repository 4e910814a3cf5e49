-- What there is to do in any lane, with one index probe for each slot that has something. A function, so that one statement suffices for
-- it and for its settings, which are those of useIndexLookups: it is asked many times a second.
create or replace function find_lane_work() returns table (lanes int, waiting int[], unparking uuid[]) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  return query with recursive busy (slot) as (
      select first.slot from (
        select d.slot from webhook_delivery d where d.status = 'pending' and d.in_lane order by d.slot limit 1) first
      union all
      select next.slot from busy cross join lateral (
        select d.slot from webhook_delivery d where d.slot > busy.slot and d.status = 'pending' and d.in_lane
        order by d.slot limit 1) next)
    select l.lanes::int, array(select b.slot::int from busy b), array(
      select candidate.id from (
        select e.id, row_number() over (partition by e.slot % l.lanes order by e.id) as n from webhook_endpoint e where e.unparking
      ) candidate where candidate.n <= 2)
    from webhook_lane l where l.lane = 0;
end $$;
revoke execute on function find_lane_work from public;
grant execute on function find_lane_work to tributary_app;
