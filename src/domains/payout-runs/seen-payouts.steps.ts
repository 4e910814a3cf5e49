import { actorName, type Context } from '../../platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';
import { db } from '../tables.ts';
import { findPayouts, listManualOfRun, type ManualPayout } from './each-payout.steps.ts';
import { totalOf } from './run-total.steps.ts';

/** What a person saw of payouts; what is left out is not compared. */
export interface Seen {
  digest?: string | undefined;
  items?: number | undefined;
  total?: AmountsByCurrency | undefined;
}

/** Which payouts a set holds: SHA-256 of their sorted ids, in hexadecimal; null for none. A template of an aggregate. */
export const digestOf = (id: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`encode(sha256(convert_to(string_agg(${id}::text, ',' order by ${id}), 'UTF8')), 'hex')`;

const readDigest = async (ctx: Context, ids: readonly string[]): Promise<string | null> => {
  const row = await firstRow(
    ctx.em,
    sql<{ digest: string | null }>`select ${digestOf(sql`id`)} as digest from unnest(${ids}::uuid[]) as named (id)`,
  );
  return row?.digest ?? null;
};

const isSameTotal = (a: AmountsByCurrency, b: AmountsByCurrency): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((currency) => (a[currency] ?? 0) === (b[currency] ?? 0));

/** Figures of payouts in the form of `Seen`. `ids` may hold more than were found. */
export const figuresOf = async (ctx: Context, ids: readonly string[], payouts: readonly ManualPayout[]) => ({
  digest: await readDigest(ctx, ids),
  items: ids.length,
  total: totalOf(payouts).total,
});

/** Throws RUN_CHANGED when a figure is not that of the payouts. */
const assertSeen = async (
  ctx: Context,
  { ids, payouts }: { ids: readonly string[]; payouts: readonly ManualPayout[] },
  { digest, items, total }: Seen,
): Promise<void> => {
  if (digest === undefined && items === undefined && total === undefined) return;
  const found = await figuresOf(ctx, ids, payouts);
  const isSame =
    (digest === undefined || digest === found.digest) &&
    (items === undefined || items === found.items) &&
    (total === undefined || isSameTotal(total, found.total));
  if (!isSame) throw conflict('RUN_CHANGED', 'The payouts are not as confirmed: read them again', found);
};

/** The ids, each once. Throws RUN_CHANGED. */
export const seenAmong = async (ctx: Context, runId: string, payoutIds: readonly string[], seen: Seen): Promise<string[]> => {
  const ids = [...new Set(payoutIds)];
  const payouts = [...(await findPayouts(ctx, ids)).values()].filter((payout) => payout.runId === runId);
  await assertSeen(ctx, { ids, payouts }, seen);
  return ids;
};

/**
 * The payouts that a digest names: the manual ones of the run that are processing, or those that an earlier call confirmed by it, of
 * which some are paid by now. Throws RUN_CHANGED.
 */
export const seenByDigest = async (ctx: Context, runId: string, seen: Seen & { digest: string }): Promise<string[]> => {
  const before = await findConfirmed(ctx, runId, seen.digest);
  const payouts = before ? [...(await findPayouts(ctx, before)).values()] : await listManualOfRun(ctx, runId, ['processing']);
  const ids = payouts.map(({ id }) => id);
  await assertSeen(ctx, { ids, payouts }, seen);
  if (!before) await storeConfirmed(ctx, { runId, digest: seen.digest, payoutIds: ids });
  return ids;
};

const findConfirmed = async (ctx: Context, runId: string, digest: string): Promise<readonly string[] | null> => {
  const stored = db.selectFrom('payout_run_confirmation').select('payoutIds').where('runId', '=', runId);
  return (await firstRow(ctx.em, stored.where('digest', '=', digest)))?.payoutIds ?? null;
};

const storeConfirmed = (ctx: Context, named: { runId: string; digest: string; payoutIds: string[] }): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('payout_run_confirmation')
      .values({ ...named, createdBy: actorName(ctx.actor), createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) => conflict.columns(['runId', 'digest']).doNothing()),
  );
