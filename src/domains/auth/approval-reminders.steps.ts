import { APPROVAL_TIMING } from '../../contracts/approvals.ts';
import { after } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';

/** How many reminders are due of what waits for a second actor since then. */
export const dueReminders = ({ clock, settings }: Context, since: RawBuilder<unknown>): RawBuilder<number> => {
  const times = APPROVAL_TIMING.remindAfterMs.map((ms) => after(clock.now(), -settings.scaled(ms)).toISOString());
  return sql<number>`(select count(*) from unnest(${times}::timestamptz[]) as time where ${since} <= time)::int`;
};
