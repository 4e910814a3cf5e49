import type { ReconciliationTrigger } from '../../contracts/reconciliation.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, emitInternal, inTransaction } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import { json } from '../../platform/database/table.ts';
import { endPayeeHolds, holdPayee } from '../payouts/index.ts';
import { db } from '../tables.ts';
import type { ComparedAccount } from './accounts.queries.ts';
import type { FoundDifference } from './differences.rules.ts';

/** A comparison that runs. */
export interface Run extends ComparedAccount {
  id: string;
  since: Date;
  until: Date;
  startedAt: Date;
}

/** Differences of one transaction. */
const PAGE = 200;

/** After this time, an answer that did not settle what it could have settled is a difference. */
const CHECK_MS = 30 * MINUTE_MS;

/** Stores what a comparison found, and returns how many differences a person has to look at now and did not before. */
export const storeDifferences = async (ctx: Context, run: Run, found: readonly FoundDifference[]): Promise<number> => {
  let opened = 0;
  for (let from = 0; from < found.length; from += PAGE) {
    const page = found.slice(from, from + PAGE);
    opened += await inTransaction(fresh(ctx), async (ctx) => {
      const stored = [];
      // In one order: two comparisons at once must not wait for each other in a circle.
      for (const difference of page.toSorted((a, b) => a.fingerprint.localeCompare(b.fingerprint)))
        stored.push(await storeDifference(ctx, run, difference));
      return stored.filter(({ isNew }) => isNew).length;
    });
  }
  return opened;
};

const fresh = (ctx: Context): Context => ({ ...ctx, em: ctx.em.fork() as Context['em'] });

/** What a person resolved stays so, and what was closed is open again. */
const storeDifference = async (ctx: Context, run: Run, difference: FoundDifference) => {
  const { merchantId, isExplained, ours, theirs, missing } = difference;
  const now = ctx.clock.now();
  const at = now.toISOString();
  const status = isExplained ? 'checking' : 'open';
  const checkedBefore = after(now, -ctx.settings.scaled(CHECK_MS)).toISOString();
  const values = { ours: ours && json(ours), theirs: theirs && json(theirs), runId: run.id, seenAt: at };
  const [stored] = await rows(
    ctx.em,
    db
      .with('former', (cte) =>
        cte.selectFrom('reconciliation_difference').select('status').where('fingerprint', '=', difference.fingerprint),
      )
      .insertInto('reconciliation_difference')
      .values({
        id: ctx.ids.next(),
        fingerprint: difference.fingerprint,
        ...{ merchantId, programId: difference.programId, rail: run.rail, railAccountId: run.railAccountId },
        ...{ kind: difference.kind, status, payoutId: difference.payoutId, ...values },
        ...{ occurredAt: difference.occurredAt.toISOString(), createdAt: at },
      })
      .onConflict((conflict) =>
        conflict.column('fingerprint').doUpdateSet({
          ...values,
          payoutId: sql`coalesce(reconciliation_difference.payout_id, excluded.payout_id)`,
          status: sql`case
            when reconciliation_difference.status = 'closed' then excluded.status
            when reconciliation_difference.status = 'checking'
              and (excluded.status = 'open' or reconciliation_difference.created_at < ${checkedBefore}) then 'open'
            else reconciliation_difference.status end`,
          createdAt: sql`case when reconciliation_difference.status = 'closed' then excluded.created_at
            else reconciliation_difference.created_at end`,
          note: sql`case when reconciliation_difference.status <> 'closed' then reconciliation_difference.note end`,
          resolvedAt: sql`case when reconciliation_difference.status <> 'closed' then reconciliation_difference.resolved_at end`,
        }),
      )
      .returning(['id', 'status'])
      .returning((eb) => eb.selectFrom('former').select('former.status').as('formerStatus')),
  );
  if (stored && missing && stored.status === 'open')
    await holdPayee(ctx, { id: stored.id, merchantId, rail: run.rail, payoutId: difference.payoutId, payment: missing });
  return { merchantId, isNew: stored?.status === 'open' && stored.formerStatus !== 'open' };
};

/** Merchants are told of what is open, at most once a day. */
export const tellOfDifferences = async (ctx: Context, merchantIds: ReadonlySet<string>): Promise<void> => {
  for (const merchantId of merchantIds)
    await inTransaction(fresh(ctx), (ctx) => emitInternal(ctx, { type: 'reconciliation.differences_found', merchantId }));
};

/** What a whole comparison of its period did not find any more is closed. Returns how many are left. */
export const closeGone = (ctx: Context, run: Run): Promise<number> =>
  inTransaction(fresh(ctx), async (ctx) => {
    const at = ctx.clock.now().toISOString();
    const closed = await rows(
      ctx.em,
      db
        .updateTable('reconciliation_difference')
        .set({ status: 'closed', resolvedAt: at })
        .where('status', 'in', ['checking', 'open'])
        .where('rail', '=', run.rail)
        .where('railAccountId', run.railAccountId === null ? 'is' : '=', run.railAccountId)
        .where('seenAt', '<', run.startedAt.toISOString())
        .where('occurredAt', '>=', run.since.toISOString())
        .returning(['id', 'kind']),
    );
    await endPayeeHolds(ctx, { ids: closed.flatMap(({ id, kind }) => (kind === 'missing_here' ? id : [])), payoutId: null });
    return countUnsettled(ctx, run);
  });

const countUnsettled = async (ctx: Context, { rail, railAccountId }: ComparedAccount): Promise<number> => {
  const [found] = await rows(
    ctx.em,
    db
      .selectFrom('reconciliation_difference')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('status', 'in', ['checking', 'open'])
      .where('rail', '=', rail)
      .where('railAccountId', railAccountId === null ? 'is' : '=', railAccountId),
  );
  return found?.count ?? 0;
};

/** The run, before anything is read. Of one that was cut off nobody waits for the end. */
export const beginRun = async (
  ctx: Context,
  { id, rail, merchantId, railAccountId, since, until, startedAt }: Run,
  trigger: ReconciliationTrigger,
): Promise<void> =>
  inTransaction(fresh(ctx), async (ctx) => {
    await execute(
      ctx.em,
      db
        .updateTable('reconciliation_run')
        .set({ status: 'failed', problem: 'internal_error', endedAt: startedAt.toISOString() })
        .where('status', '=', 'running')
        .where('rail', '=', rail)
        .where('railAccountId', railAccountId === null ? 'is' : '=', railAccountId)
        .where('createdAt', '<', after(startedAt, -MAX_RUN_MS).toISOString()),
    );
    await execute(
      ctx.em,
      db.insertInto('reconciliation_run').values({
        ...{ id, rail, merchantId, railAccountId, trigger, status: 'running' },
        ...{ since: since.toISOString(), until: until.toISOString(), completeUntil: since.toISOString() },
        createdAt: startedAt.toISOString(),
      }),
    );
  });

/** What the account held when the last comparison read its balance, by currency; null where none did in the period of this one. */
export const findBalanceBefore = async (
  ctx: Context,
  { rail, railAccountId, since }: Run,
): Promise<{ at: Date; balances: Readonly<Record<string, number>> } | null> => {
  const [found] = await rows(
    ctx.em,
    db
      .selectFrom('reconciliation_run')
      .select(['createdAt', 'totals'])
      .where('status', '=', 'completed')
      .where('rail', '=', rail)
      .where('railAccountId', railAccountId === null ? 'is' : '=', railAccountId)
      .where('createdAt', '>=', since.toISOString())
      .orderBy('createdAt', 'desc')
      .limit(1),
  );
  const held = (found?.totals ?? []).flatMap(({ currency, closing }) => (closing === null ? [] : [[currency, closing] as const]));
  return found && held.length > 0 ? { at: new Date(found.createdAt), balances: Object.fromEntries(held) } : null;
};

/** No comparison takes longer. */
const MAX_RUN_MS = 30 * MINUTE_MS;
