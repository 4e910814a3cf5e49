import type { EntityManager } from './orm.ts';
import { execute, sql } from './sql.ts';

/**
 * For the rest of the transaction, joins are nested loops over indexes, planned once per connection. For statements on
 * tables that grow and shrink faster than their statistics are renewed: from those, the planner would conclude that reading
 * the whole table is cheaper than looking up a hundred rows.
 */
export const useIndexLookups = async (em: EntityManager): Promise<void> => {
  await execute(
    em,
    sql`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
  );
};
