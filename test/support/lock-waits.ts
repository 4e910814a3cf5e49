import { firstRow, sql } from '../../src/platform/database/sql.ts';
import type { TestApi } from './api.ts';
import { until } from './until.ts';

/** Resolves once as many transactions wait for locks of others. */
export const untilSomebodyWaits = ({ runtime }: Pick<TestApi, 'runtime'>, count = 1) =>
  until(
    `${count} transactions wait for locks`,
    () =>
      firstRow(
        runtime.context({ kind: 'system', name: 'test' }).em,
        sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    (row) => row !== null && row.waiting >= count,
  );
