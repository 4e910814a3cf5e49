import { after, DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { type RawBuilder, sql } from '../../../platform/database/sql.ts';
import type { Payout } from '../payout.entity.ts';

interface KnownTimes<Time> {
  executedAt?: Time | null | undefined;
  railPaidAt?: Time | null | undefined;
  completedAt?: Time | null | undefined;
}

/** When a payout was paid: as the bank executed it, else as the provider says, else as it was recorded. Null: it was not paid. */
export const paidAtOf = <Time>({ executedAt, railPaidAt, completedAt }: KnownTimes<Time>): Time | null =>
  executedAt ?? railPaidAt ?? completedAt ?? null;

/** As `paidAtOf`, over the table `payout`, or a name of it that is a prefix such as `p.`: the indexes have this expression. */
export const paidAtIn = (prefix: '' | 'p.'): RawBuilder<string | null> =>
  sql`coalesce(${sql.raw(`${prefix}executed_at, ${prefix}rail_paid_at, ${prefix}completed_at`)})`;

/** When a provider says that it paid. Null for what cannot be: another clock, or a time before there was a payout. */
export const railTimeOf = (ctx: Context, { createdAt }: Payout, at: Date | undefined): Date | null =>
  at === undefined || at > ctx.clock.now() || at < after(createdAt, -DAY_MS) ? null : at;
