import { railsThatBeginWith } from '../../contracts/rails.ts';
import { runSituation } from '../../contracts/situations/payout-run.ts';
import { shownSituation } from '../../contracts/situations/situation.ts';
import type { Context } from '../../platform/context.ts';
import { sql } from '../../platform/database/sql.ts';
import { paysFromFailing } from './failing-accounts.queries.ts';
import { type PayoutRunRecord, type RunLike, toPayoutRun } from './payout-runs.wire.ts';
import { decideByOf } from './run-progress.queries.ts';

// Templates: parts of a larger one.

const MANUAL = sql.join(railsThatBeginWith('person').map((rail) => sql.lit(rail)));

const exists = (condition: ReturnType<typeof sql>) =>
  sql<boolean>`(payout_run.status in ('running','paused') and exists (${condition}))`;

/** What the situation of a `payout_run` needs besides its own columns. Nothing is read about one that has not begun, or ended. */
export const SITUATION = [
  exists(sql`select from payout p where p.payout_run_id = payout_run.id and p.needs_attention`).as('needsAttention'),
  exists(sql`select from payout p where p.payout_run_id = payout_run.id and p.status in ('pending','processing')
    and p.rail in (${MANUAL})`).as('hasManual'),
  exists(sql`select from payout_run_item i where i.run_id = payout_run.id and i.result = 'planned' and i.tries > 0`).as(
    'isStuck',
  ),
  // Drafts say it too: whoever confirms one has to know.
  sql<boolean>`(payout_run.status not in ('completed','cancelled') and ${paysFromFailing(sql`payout_run`)})`.as(
    'isAccountFailing',
  ),
] as const;

type Row = RunLike & { needsAttention: boolean; hasManual: boolean; isStuck: boolean; isAccountFailing: boolean };

/** With its situation. */
export const toRunRecord = (row: Row, ctx: Pick<Context, 'settings'>): PayoutRunRecord => {
  const run = toPayoutRun(row);
  const { createdAt, confirmedAt } = run;
  const times = { createdAt: new Date(createdAt), confirmedAt: confirmedAt === null ? null : new Date(confirmedAt) };
  const decideBy = decideByOf(ctx, { ...run, ...times })?.toISOString() ?? null;
  const { needsAttention, hasManual, isStuck, isAccountFailing } = row;
  return {
    ...run,
    situation: shownSituation(runSituation({ ...run, decideBy, needsAttention, hasManual, isStuck, isAccountFailing })),
  };
};
