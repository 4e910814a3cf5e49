import * as wf from '@temporalio/workflow';
import type { RunClaim } from '../src/contracts/workflows/descriptor.ts';
import { isFinal } from '../src/contracts/workflows/descriptor.ts';
import { runLinks } from '../src/contracts/workflows/payout-run.texts.ts';
import { payoutRun as descriptor } from '../src/contracts/workflows/payout-run.ts';
import {
  amountsOf,
  amountText,
  MAX_UNANSWERED,
  type PayoutRunActivities,
  type PayoutRunInput,
  type PayoutRunResult,
  type PayoutRunSnapshot,
  runAttributes,
  totalsOf,
} from '../src/contracts/workflows/payout-runs.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeRun, describeSupersededRun, insteadOfCancellingRun } from './pages/payout-run.ts';
import { activitiesOn, database } from './support/activities.ts';
import { isSupersededAtEnd, showSuperseded } from './support/claim.ts';
import { isCopy } from './support/copy.ts';
import { ignoreCancellation, type Page } from './support/ignore-cancellation.ts';
import { publish } from './support/publish.ts';
import { type Progress, track } from './support/track.ts';
import { versioningOf } from './support/versioning.ts';

const activities = () => activitiesOn<PayoutRunActivities>(QUEUES.payouts, database);

/**
 * From the draft of a payout run until all its payouts are final. Postgres holds the state: people change it through the API, which
 * signals that; this creates the payouts, looks how they are, and ends what nobody decided on. A run that is started again continues
 * where the last one was lost.
 */
export async function payoutRun(input: PayoutRunInput): Promise<PayoutRunResult> {
  const { runId } = input;
  const record = () =>
    activities().findRunCancellation.executeWithOptions({ summary: 'Find out who requested the cancellation' }, [{ runId }]);
  let progress: Progress<PayoutRunSnapshot> | undefined;
  const instead = () => insteadOfCancellingRun(progress?.snapshot ?? descriptor.initial);
  return ignoreCancellation({ record, instead, details: () => runLinks(input) }, async (page) => {
    if (isCopy(descriptor.id(runId))) {
      await claim(input);
      return supersede(input, page);
    }
    progress = trackRun(input, page);
    await follow(input, progress);
    if (await isSupersededAtEnd(page, progress.snapshot, () => claim(input))) return supersede(input, page);
    page.show(describeRun(input, progress.snapshot, null, Date.now()));
    publish(runAttributes(progress.snapshot, null));
    return resultOf(input, progress.snapshot);
  });
}
wf.setWorkflowOptions(versioningOf(descriptor), payoutRun);

const claim = ({ runId }: PayoutRunInput): Promise<RunClaim> => {
  const startedAt = wf.workflowInfo().startTime.toISOString();
  const summary = 'Find out which workflow shows the payout run';
  return activities().claimPayoutRun.executeWithOptions({ summary }, [{ runId, startedAt }]);
};

/** Creates nothing and counts nothing. */
const supersede = (input: PayoutRunInput, page: Page): PayoutRunResult => {
  showSuperseded(page, describeSupersededRun(input));
  return { status: 'superseded', paid: '0', payouts: 0, failed: 0, leftOut: 0, runId: input.runId };
};

const trackRun = (input: PayoutRunInput, page: Page): Progress<PayoutRunSnapshot> =>
  track(descriptor, {
    wait: { what: 'its first step', next: null },
    show(run, wait, moment) {
      // It only says that something changed: the step that loads it follows.
      if (moment === 'signal') return;
      page.show(describeRun(input, run, isFinal(descriptor, run) ? null : wait, Date.now()));
      if (moment === 'wait') publish(runAttributes(run, wait.next?.atMs ?? null));
    },
    state: (run, { what }) => ({ status: run.status, waitingFor: isFinal(descriptor, run) ? 'nothing' : what, ...totalsOf(run) }),
  });

type Step = 'check' | 'create' | 'cancel';
/** What is waited for, for at most as long; then the step follows. */
interface Pause {
  what: string;
  label: string;
  atMs: number;
  step: Step;
}

/** A look that found something new is followed by another one soon; of those that did not, each waits longer. */
const MAX_BUSY_LOOKS = 3;
/** Clocks of processes differ: a step that found the deadline still ahead is not repeated at once. */
const REPEAT_MS = 1_000;

const follow = async (input: PayoutRunInput, progress: Progress<PayoutRunSnapshot>): Promise<void> => {
  const { runId } = input;
  const { checkRun, createRunPayouts, cancelRunPayouts } = activities();
  const steps: Record<Step, () => Promise<void>> = {
    check: () => progress.run(checkRun.executeWithOptions({ summary: 'Look how the payouts are' }, [{ runId }])),
    create: () => progress.run(createRunPayouts.executeWithOptions({ summary: 'Create the next payouts' }, [{ runId }])),
    cancel: () => progress.run(cancelRunPayouts.executeWithOptions({ summary: 'Fail payouts without an attempt' }, [{ runId }])),
  };
  let step: Step | null = 'check';
  for (let looks = 0; step !== null; ) {
    const before = progress.snapshot;
    await steps[step]();
    looks = isEqual(before, progress.snapshot) ? looks + 1 : Math.min(looks + 1, MAX_BUSY_LOOKS);
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payoutRun>(input);
    const next = nextOf(input, progress.snapshot, looks - 1);
    if (typeof next !== 'object' || next === null) {
      step = next;
      continue;
    }
    const { what, label, atMs, step: due } = next;
    step = (await progress.waitUntil(() => progress.signals > 0, { what, next: { label, atMs } })) ? 'check' : due;
  }
};

const isEqual = ({ shares, leftOut }: PayoutRunSnapshot, other: PayoutRunSnapshot): boolean =>
  JSON.stringify([shares, leftOut]) === JSON.stringify([other.shares, other.leftOut]);

/** Null: nothing is left to do. */
const nextOf = ({ timing }: PayoutRunInput, run: PayoutRunSnapshot, looks: number): Step | Pause | null => {
  const { planned, plannedByHand, pending, open, unanswered } = totalsOf(run);
  const backOffMs = Math.min(timing.checkMs * 2 ** Math.min(Math.max(looks, 0), 30), timing.checkMaxMs);
  const look = { label: `look ${looks + 2}`, atMs: Date.now() + backOffMs, step: 'check' } as const;
  switch (run.status) {
    case 'completed':
      return null;
    case 'cancelled':
      return pending + planned > 0 ? 'cancel' : null;
    case 'draft':
    case 'awaiting_approval': {
      const what = run.status === 'draft' ? 'a person to confirm it' : 'another person to approve it';
      const deadlineMs = Math.max(Date.parse(run.decideBy ?? ''), Date.now() + REPEAT_MS);
      return { what, label: 'deadline', atMs: deadlineMs, step: 'check' };
    }
    case 'paused':
      return { what: 'a person to resume it', ...look };
    case 'running':
      if (planned === 0) return { what: `${open} payouts to be final`, ...look };
      if (planned === run.stuck) return { what: 'payouts that cannot be created', ...look, step: 'create' };
      if (plannedByHand > run.stuck || unanswered < MAX_UNANSWERED) return 'create';
      return { what: 'the provider to answer', label: 'next payouts', atMs: Date.now() + timing.windowMs, step: 'create' };
  }
};

const resultOf = ({ runId }: PayoutRunInput, run: PayoutRunSnapshot): PayoutRunResult => {
  const { payouts, failed, leftOut } = totalsOf(run);
  const paid = amountText(amountsOf(run.shares, ({ paidMinor }) => paidMinor));
  return { status: run.status, paid, payouts, failed, leftOut, runId };
};
