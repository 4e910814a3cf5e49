import { CANNOT_BE_ASKED } from '../../contracts/payout-timeline.texts.ts';
import type { PayoutStatus, PayoutTimelineType, RailOutcome } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { compileOnce, type Given, givenOf } from '../../platform/database/compiled.ts';
import { execute, type Insertable, sql, statementOf } from '../../platform/database/sql.ts';
import { columnsFrom, insertOf, type Lists } from '../../platform/database/table.ts';
import { db, type Tables } from '../tables.ts';
import { insertEvidence } from './evidence.steps.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import type { Answer, NeverReceived } from './rails/answer.ts';
import type { RecordedCall } from './rails/recorded-calls.ts';

export interface TimelineEntry {
  type: PayoutTimelineType;
  /** Set for what another actor did before. Default: the caller, now. */
  by?: { actor: string; at: Date };
  from?: PayoutStatus;
  to?: PayoutStatus;
  attempt?: number;
  /** Outcome of a send or a status look-up. */
  outcome?: RailOutcome;
  railReference?: string | null;
  /** A stable code of ours, or the provider's own. */
  reason?: string | null;
  /** Free text of the person who decided. */
  note?: string | null;
  reminder?: number;
  /** The calls to the provider that it tells of. */
  evidence?: readonly RecordedCall[] | undefined;
}

const COLUMNS = {
  id: 'uuid',
  payoutId: 'uuid',
  at: 'timestamptz',
  type: 'text',
  actor: 'text',
  fromStatus: 'text',
  toStatus: 'text',
  attempt: 'int',
  outcome: 'text',
  railReference: 'text',
  reason: 'text',
  note: 'text',
  reminder: 'int',
  workflowId: 'text',
  runId: 'text',
} as const;

type NewEntry = Required<Insertable<Pick<Tables['payout_timeline'], keyof typeof COLUMNS>>>;

const insertEntries = compileOnce((entries: Given<Lists<NewEntry>>) =>
  statementOf(insertOf('payout_timeline', entries, COLUMNS)),
);

/** Kept forever: workflow history expires, the timeline does not. */
export const addTimelineEntries = async (
  ctx: Context,
  entries: readonly (TimelineEntry & { payout: Pick<Payout, 'id'> })[],
): Promise<void> => {
  const added = entries.map(({ payout, ...entry }) => newEntry(ctx, payout, entry));
  await execute(ctx.em, insertEntries(columnsFrom(added, COLUMNS)));
};

export const addTimelineEntry = async (
  ctx: Context,
  payout: Pick<Payout, 'id'>,
  { evidence, ...entry }: TimelineEntry,
): Promise<void> => {
  if (!evidence || entry.attempt === undefined) return addTimelineEntries(ctx, [{ payout, ...entry }]);
  // Both in one statement.
  const kept = insertEvidence(ctx, { payoutId: payout.id, attempt: entry.attempt, calls: evidence });
  const added = givenOf(columnsFrom([newEntry(ctx, payout, entry)], COLUMNS));
  // A template: the entry and its evidence take one statement.
  await execute(ctx.em, sql`with kept as (${kept}) ${insertOf('payout_timeline', added, COLUMNS)}`);
};

const newEntry = (ctx: Context, payout: Pick<Payout, 'id'>, entry: TimelineEntry): NewEntry => {
  const { type, by, from, to, attempt, outcome, railReference, reason, note, reminder } = entry;
  const run = ctx.actor.kind === 'system' ? ctx.actor.run : undefined;
  return {
    id: ctx.ids.next(),
    payoutId: payout.id,
    at: (by?.at ?? ctx.clock.now()).toISOString(),
    type,
    actor: by?.actor ?? actorName(ctx.actor),
    fromStatus: from ?? null,
    toStatus: to ?? null,
    attempt: attempt ?? null,
    outcome: outcome ?? null,
    railReference: railReference ?? null,
    reason: reason ?? null,
    note: note ?? null,
    reminder: reminder ?? null,
    workflowId: run?.workflowId ?? null,
    runId: run?.runId ?? null,
  };
};

/** The entry of a reminder, when it was recorded already. */
export const findReminder = ({
  payoutId,
  reminder,
  types,
}: {
  payoutId: string;
  reminder: number;
  types: readonly PayoutTimelineType[];
}) =>
  db
    .selectFrom('payout_timeline')
    .select('id')
    .where('payoutId', '=', payoutId)
    .where('reminder', '=', reminder)
    .where('type', 'in', types)
    .limit(sql.lit(1));

/** Records a status look-up. One that repeats the result of the payout's last entry is only counted, and leaves no evidence. */
export const addStatusCheck = async (
  ctx: Context,
  payout: Pick<Payout, 'id'>,
  { n }: PayoutAttempt,
  result: Answer | NeverReceived,
): Promise<void> => {
  const { outcome, railReference, reason } = checkOf(result);
  const latest = db
    .selectFrom('payout_timeline')
    .select(['id', 'type', 'attempt', 'outcome', 'railReference', 'reason'])
    .where('payoutId', '=', payout.id)
    .orderBy('seq', 'desc')
    .limit(sql.lit(1))
    .as('latest');
  const same = db
    .selectFrom(latest)
    .select(['id', sql.lit(2).as('times'), sql<string>`${ctx.clock.now().toISOString()}::timestamptz`.as('lastAt')])
    .where('type', '=', 'status_checked')
    .where('attempt', '=', n)
    .where('outcome', '=', outcome)
    .where('railReference', 'is not distinct from', railReference)
    .where('reason', 'is not distinct from', reason);
  const repeated = await execute(
    ctx.em,
    db
      .insertInto('payout_status_check')
      .columns(['entryId', 'times', 'lastAt'])
      .expression(same)
      .onConflict((conflict) =>
        conflict.column('entryId').doUpdateSet(({ eb, ref }) => ({
          times: eb('payout_status_check.times', '+', 1),
          lastAt: ref('excluded.lastAt'),
        })),
      ),
  );
  if (repeated > 0) return;
  await addTimelineEntry(ctx, payout, {
    type: 'status_checked',
    attempt: n,
    outcome,
    railReference,
    reason,
    evidence: result.evidence,
  });
};

const checkOf = (
  result: Answer | NeverReceived,
): { outcome: RailOutcome; railReference: string | null; reason: string | null } => {
  if (result.outcome !== 'never_received')
    return { outcome: result.outcome, railReference: result.railReference, reason: result.problem ?? result.fault?.code ?? null };
  const isAsked = result.isAsked !== false;
  return { outcome: isAsked ? 'never_received' : 'unknown', railReference: null, reason: isAsked ? null : CANNOT_BE_ASKED };
};
