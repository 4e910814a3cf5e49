import * as wf from '@temporalio/workflow';
import type { FlagReviewInput, FlagReviewState } from '../src/contracts/flags.ts';
import {
  flagReview as descriptor,
  type FlagActivities,
  type FlagCurrentState,
  type FlagReviewResult,
  flagAttributes,
  needsAttention,
} from '../src/contracts/workflows/flag-review.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeCopy } from '../src/contracts/workflows/text.ts';
import { flagButtons } from '../src/texts/flag.finance.en.ts';
import { describeFlag, isResolvedByDeadline } from './pages/flag.ts';
import { activitiesOn, database } from './support/activities.ts';
import { showSuperseded } from './support/claim.ts';
import { isCopy } from './support/copy.ts';
import { ignoreCancellation, type Page } from './support/ignore-cancellation.ts';
import { publish } from './support/publish.ts';
import { type Progress, track } from './support/track.ts';
import { versioningOf } from './support/versioning.ts';

type FlagProgress = Progress<FlagReviewState>;

const steps = () => activitiesOn<FlagActivities>(QUEUES.reviews, database);

/** Clocks of processes differ: a step that found the deadline still ahead is not repeated at once. */
const REPEAT_MS = 1_000;

/**
 * From the opening of a flag until nothing is held because of it. Requests and the deadline decide in Postgres; this reminds,
 * keeps the deadline, and rejects what a confirmed flag holds. A run that is started again continues where the last one was lost.
 */
export async function flagReview(input: FlagReviewInput): Promise<FlagReviewResult> {
  const { flagId, affiliate, program, type } = input;
  const record = () =>
    steps().recordFlagCancellation.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ flagId }]);
  const instead = () => `Only a decision in the console ends it: “${flagButtons.resolve}”.`;
  return ignoreCancellation({ record, instead }, async (page) => {
    if (isCopy(descriptor.id(flagId))) {
      showSuperseded(page, describeCopy('flag', descriptor.id(flagId), input.links));
      return { affiliate, program, type, status: 'superseded', resolved: null, flagId, conversions: 0 };
    }
    const progress = trackFlag(input, page);
    await progress.run(steps().loadFlag.executeWithOptions({ summary: 'Load flag' }, [{ flagId }]));
    await waitForResolution(input, progress);
    await rejectCommissions(input, progress);
    const { status, conversions } = progress.snapshot;
    const resolved = isResolvedByDeadline(progress.snapshot) ? 'by the deadline' : 'by a person';
    return { affiliate, program, type, status, resolved, flagId, conversions };
  });
}
wf.setWorkflowOptions(versioningOf(descriptor), flagReview);

const trackFlag = (input: FlagReviewInput, page: Page): FlagProgress =>
  track(descriptor, {
    wait: { what: 'a decision', next: null },
    show(flag, wait, moment) {
      // A signal brings only a part of the state: the step that loads the rest follows.
      if (moment !== 'step' && moment !== 'wait') return;
      page.show(describeFlag(input, flag, wait));
      publish(flagAttributes(flag));
    },
    state: (flag, { what }): FlagCurrentState => ({
      status: flag.status,
      waitingFor: flag.isHolding ? what : 'nothing',
      dueAt: flag.status === 'open' ? flag.dueAt : null,
      needsAttention: needsAttention(flag),
    }),
  });

/** Reminds the merchant, and does at the deadline what the merchant chose. A flag that is kept open waits on. */
const waitForResolution = async (input: FlagReviewInput, progress: FlagProgress): Promise<void> => {
  const { flagId } = input;
  const { loadFlag, remindFlag, applyFlagDeadline } = steps();
  for (let notBeforeMs = 0; progress.snapshot.status === 'open'; ) {
    await continueAsNewIfSuggested(input);
    const next = nextOf(input, progress.snapshot, notBeforeMs);
    if (await progress.waitUntil(() => progress.isStale, { what: 'a decision', next })) {
      await progress.run(loadFlag.executeWithOptions({ summary: 'Load flag' }, [{ flagId }]));
    } else if (next && 'reminder' in next) {
      const { reminder } = next;
      const request = { flagId, reminder };
      await progress.run(remindFlag.executeWithOptions({ summary: `Send reminder ${reminder}` }, [request]));
    } else {
      await progress.run(applyFlagDeadline.executeWithOptions({ summary: 'Apply the deadline' }, [{ flagId }]));
      notBeforeMs = Date.now() + REPEAT_MS;
    }
  }
};

/** If several reminders are overdue, only the last one is sent. Null after the deadline of a flag that stays open. */
const nextOf = (
  { createdAt, timing }: FlagReviewInput,
  { reminders, deadlineAction, dueAt }: FlagReviewState,
  notBeforeMs: number,
): { label: string; atMs: number; reminder: number } | { label: string; atMs: number } | null => {
  const deadline = deadlineAction === null ? Math.max(Date.parse(dueAt), notBeforeMs) : null;
  const left = timing.remindAfterMs
    .map((ms, at) => ({ label: `reminder ${at + 1}`, atMs: Date.parse(createdAt) + ms, reminder: at + 1 }))
    .filter(({ atMs, reminder }) => reminder > reminders && (deadline === null || atMs < deadline));
  const next = left.findLast(({ atMs }) => atMs <= Date.now()) ?? left[0];
  return next ?? (deadline === null ? null : { label: 'deadline', atMs: deadline });
};

/** A payout that includes some of them may still fail: they are rejected then. */
const rejectCommissions = async (input: FlagReviewInput, progress: FlagProgress): Promise<void> => {
  const { flagId, timing } = input;
  const { rejectFlagged } = steps();
  for (let checks = 0; progress.snapshot.isHolding; ) {
    await continueAsNewIfSuggested(input);
    await progress.run(rejectFlagged.executeWithOptions({ summary: 'Reject commissions' }, [{ flagId }]));
    if (!progress.snapshot.isHolding || progress.snapshot.held > 0) continue;
    const pauseMs = Math.min(timing.recheckMs * 2 ** Math.min(checks++, 30), timing.recheckMaxMs);
    const next = { label: `look ${checks}`, atMs: Date.now() + pauseMs };
    await progress.waitUntil(() => progress.isStale, { what: 'the end of a payout with some of the commissions', next });
  }
};

const continueAsNewIfSuggested = async (input: FlagReviewInput): Promise<void> => {
  if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof flagReview>(input);
};
