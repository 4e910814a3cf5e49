import { factsOf } from '../../../contracts/rails.ts';
import type { ReconciliationProblem, ReconciliationTotal, ReconciliationTrigger } from '../../../contracts/reconciliation.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { askPayouts, isAttemptKey, type Rails } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { type ComparedAccount, lookBackMs } from '../accounts.queries.ts';
import { type CompareLimits, comparePayment, isMissingHere } from '../compare.rules.ts';
import { differenceOf, type FoundDifference, missingHereOf } from '../differences.rules.ts';
import { ComparisonStopped, type MovementSource, openSource } from '../movement-source.calls.ts';
import {
  type BookedPayment,
  findKnownKeys,
  findOurPayments,
  findPayoutOwners,
  isUuid,
  listOurPayments,
} from '../our-payments.queries.ts';
import {
  beginRun,
  closeGone,
  findBalanceBefore,
  type Run,
  storeDifferences,
  tellOfDifferences,
} from '../store-differences.steps.ts';
import { createTally, mergePayments, type TheirPayment } from '../tally.rules.ts';
import { createTotals } from '../totals.rules.ts';

export interface CompareInput {
  account: ComparedAccount;
  trigger: ReconciliationTrigger;
  /** Default: as far back as payments may come back. */
  since?: Date | undefined;
}

export interface ComparisonReport extends ComparedAccount {
  runId: string;
  /** Null unless it failed. */
  problem: ReconciliationProblem | null;
  since: string;
  until: string;
  /** Payments of ours that were compared. */
  payments: number;
  /** Differences that a person did not have to look at before. */
  opened: number;
  /** All that are not settled. */
  differences: number;
  totals: readonly ReconciliationTotal[];
}

/** Payments that one comparison keeps in memory: a narrower period has fewer. */
const MAX_PAYMENTS = 200_000;
/** Payments that one statement reads. */
const PAGE = 500;

interface Compared {
  found: FoundDifference[];
  payments: number;
  totals: ReconciliationTotal[];
}

/**
 * Compares our books with what the provider lists of an account, and stores how they differ. It books nothing: what the provider's word may
 * settle, the workflow of the payout asks for. A provider that fails is the result of the comparison. Runs at least once.
 */
export const compareAccount = async (ctx: Context, rails: Rails, input: CompareInput): Promise<ComparisonReport> => {
  const { account, trigger } = input;
  const startedAt = ctx.clock.now();
  const since = input.since ?? after(startedAt, -ctx.settings.scaled(lookBackMs(account.rail)));
  const run: Run = { ...account, id: ctx.ids.next(), since, until: startedAt, startedAt };
  await beginRun(ctx, run, trigger);
  try {
    const source = await openSource(ctx, rails, account);
    const { completeUntil } = source;
    const { found, payments, totals } = await compare(ctx, run, source);
    const opened = await storeDifferences(ctx, run, found);
    const differences = await closeGone(ctx, run);
    await tellOfDifferences(ctx, new Set(found.flatMap(({ merchantId }) => merchantId ?? [])));
    await askPayouts(ctx, [...new Set(found.flatMap((each) => (isAnswerable(each) ? (each.payoutId ?? []) : [])))]);
    await endRun(ctx, run, { payments, differences, totals, problem: null, completeUntil });
    return reportOf(run, { payments, opened, differences, totals, problem: null });
  } catch (error) {
    const problem = error instanceof ComparisonStopped ? error.problem : 'internal_error';
    await endRun(ctx, run, { payments: 0, differences: 0, totals: [], problem, completeUntil: since });
    ctx.log.warn({ err: error, rail: run.rail, run: run.id, problem }, 'books were not compared');
    return reportOf(run, { payments: 0, opened: 0, differences: 0, totals: [], problem });
  }
};

/** What is not known here of a payout that exists is found out by asking the provider about it. */
const isAnswerable = ({ isExplained, kind }: FoundDifference): boolean => isExplained || kind === 'missing_here';

type Ended = Pick<ComparisonReport, 'payments' | 'opened' | 'differences' | 'totals' | 'problem'>;

const reportOf = ({ id, rail, merchantId, railAccountId, since, until }: Run, ended: Ended): ComparisonReport => ({
  ...{ runId: id, rail, merchantId, railAccountId, since: since.toISOString(), until: until.toISOString() },
  ...ended,
});

const endRun = async (
  ctx: Context,
  { id }: Run,
  { payments, differences, totals, problem, completeUntil }: Omit<Ended, 'opened'> & { completeUntil: Date },
): Promise<void> => {
  const ended = { status: problem === null ? 'completed' : 'failed', problem, payments, differences } as const;
  const times = { completeUntil: completeUntil.toISOString(), endedAt: ctx.clock.now().toISOString() };
  const values = { ...ended, totals: json(totals), ...times };
  await execute(ctx.em, db.updateTable('reconciliation_run').set(values).where('id', '=', id));
};

const compare = async (ctx: Context, run: Run, source: MovementSource): Promise<Compared> => {
  const before = await findBalanceBefore(ctx, run);
  const tally = createTally(before?.at);
  // What was sent at the beginning of the period may be dated before it by another clock.
  for await (const page of source.pages(after(run.since, -DAY_MS), run.until)) {
    tally.add(page);
    if (tally.size() > MAX_PAYMENTS) throw new ComparisonStopped('too_many_movements');
  }
  const totals = createTotals(tally.others());
  const { matched, unknown } = await matchPayments(ctx, run, tally.payments());
  const found: FoundDifference[] = [];
  const limits = limitsOf(ctx, run, source);
  let payments = 0;
  const judge = (ours: BookedPayment, theirs: TheirPayment | null) => {
    payments++;
    totals.addOurs(ours);
    if (theirs) totals.addTheirs(theirs);
    found.push(...comparePayment(ours, theirs, limits).map((finding) => differenceOf(run, ours, theirs, finding)));
  };
  for (let last: string | null = null; ; ) {
    const page: BookedPayment[] = await listOurPayments(ctx, run, {
      since: run.since,
      until: run.until,
      after: last,
      limit: PAGE,
    });
    for (const ours of page) {
      judge(ours, matched.get(ours.attemptId)?.theirs ?? null);
      matched.delete(ours.attemptId);
    }
    last = page.at(-1)?.attemptId ?? null;
    if (page.length < PAGE) break;
  }
  // Listed in the period, and sent before it.
  for (const { ours, theirs } of matched.values()) judge(ours, theirs);
  found.push(...(await missingHere(ctx, run, unknown, totals)));
  const balances = { opening: before?.balances ?? null, moved: tally.moved(), closing: await source.balances() };
  return { found, payments, totals: totals.list(balances) };
};

const limitsOf = (ctx: Context, { rail, startedAt }: Run, { isListed }: MovementSource): CompareLimits => {
  const pending = factsOf(rail)?.acceptedForMs;
  return {
    now: startedAt,
    isListed,
    pendingForMs: (state) => ctx.settings.scaled(pending?.[state] ?? pending?.default ?? 0),
  };
};

interface Matched {
  matched: Map<string, { ours: BookedPayment; theirs: TheirPayment }>;
  unknown: TheirPayment[];
}

/** Which payments of ours the listed ones are: by our key, else by the payout, else by an id of the provider. */
const matchPayments = async (ctx: Context, run: Run, listed: readonly TheirPayment[]): Promise<Matched> => {
  const matched: Matched['matched'] = new Map();
  const unknown: TheirPayment[] = [];
  for (let from = 0; from < listed.length; from += PAGE) {
    const page = listed.slice(from, from + PAGE);
    const find = finderOf(await findOurPayments(ctx, run, page));
    for (const theirs of page) {
      const ours = find(theirs);
      const known = ours && matched.get(ours.attemptId);
      if (!ours) unknown.push(theirs);
      else matched.set(ours.attemptId, { ours, theirs: known ? mergePayments(known.theirs, theirs) : theirs });
    }
  }
  return { matched, unknown };
};

const finderOf = (ours: readonly BookedPayment[]): ((theirs: TheirPayment) => BookedPayment | null) => {
  const byKey = new Map(ours.map((payment) => [payment.idempotencyKey, payment]));
  const byPayout = new Map(ours.map((payment) => [payment.payoutId, payment]));
  const byId = new Map(ours.flatMap((payment) => payment.references.map((id) => [id.toLowerCase(), payment] as const)));
  return ({ idempotencyKey, reference, references, id }) => {
    if (idempotencyKey !== null && isAttemptKey(idempotencyKey)) {
      const named = byKey.get(idempotencyKey);
      if (named) return named;
    }
    const byReference = [id, ...Object.values(references)].map((name) => byId.get(name.toLowerCase())).find(Boolean);
    // A key of ours that nobody here knows is another payment of the payout.
    const isUnknownKey = idempotencyKey !== null && isAttemptKey(idempotencyKey) && !byReference;
    return byReference ?? (isUnknownKey || reference === null ? null : (byPayout.get(reference) ?? null));
  };
};

/** Whether it has the form of what is sent from here. */
const isOurs = ({ idempotencyKey, reference }: TheirPayment): boolean =>
  idempotencyKey === null ? reference !== null && isUuid(reference) : isAttemptKey(idempotencyKey);

/** Payments that our books do not have. The others are not ours, and are added up. */
const missingHere = async (
  ctx: Context,
  run: Run,
  unknown: readonly TheirPayment[],
  totals: ReturnType<typeof createTotals>,
): Promise<FoundDifference[]> => {
  const found: FoundDifference[] = [];
  for (let from = 0; from < unknown.length; from += PAGE) {
    const page = unknown.slice(from, from + PAGE);
    const elsewhere = await findKnownKeys(
      ctx,
      page.flatMap(({ idempotencyKey }) => idempotencyKey ?? []),
    );
    const owners = await findPayoutOwners(
      ctx,
      page.flatMap(({ reference }) => (reference && isUuid(reference) ? reference : [])),
    );
    for (const theirs of page) {
      // Paid from another account of this installation.
      const isElsewhere = theirs.idempotencyKey !== null && elsewhere.has(theirs.idempotencyKey);
      if (isElsewhere || !isMissingHere(theirs, isOurs)) totals.addForeign(theirs);
      else {
        totals.addTheirs(theirs);
        const owner = theirs.reference === null ? undefined : owners.get(theirs.reference);
        // A merchant's account says nothing about payouts of others.
        const isOwn = run.merchantId === null || owner?.merchantId === run.merchantId;
        const named = owner && isOwn && theirs.reference !== null ? { payoutId: theirs.reference, ...owner } : null;
        found.push(missingHereOf(run, theirs, named));
      }
    }
  }
  return found;
};
