import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { type Check, ok, warn } from './check.ts';

/** What waits for the operator of the installation. */
export const attentionChecks = (ctx: Context): Check[] => [
  {
    name: 'stripe events',
    advice: 'Check the database',
    async run() {
      const row = await firstRow(
        ctx.em,
        sql<{ open: number }>`select count(*)::int as open from stripe_problem where resolved_at is null`,
      );
      if (!row?.open) return ok('none waits for a person');
      return warn(`${row.open} ${row.open === 1 ? 'waits' : 'wait'} for a person: run npm run admin -- list-stripe-problems`);
    },
  },
  {
    name: 'mail',
    advice: 'Check the database',
    async run() {
      const row = await firstRow(
        ctx.em,
        sql<{ givenUp: number; failing: number; error: string | null }>`select
            (select count(*)::int from mail where status = 'given_up') as "givenUp",
            (select count(*)::int from mail where status = 'queued' and last_error is not null) as failing,
            (select last_error from mail where status = 'queued' and last_error is not null order by id desc limit 1) as error`,
      );
      const { givenUp = 0, failing = 0, error } = row ?? {};
      if (givenUp > 0) return warn(`${givenUp} given up: run npm run admin -- mail list`);
      return failing > 0
        ? warn(`${failing} tried without success (${error}): run npm run admin -- mail list`)
        : ok('none failed');
    },
  },
];
