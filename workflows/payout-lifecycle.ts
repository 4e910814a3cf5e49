import * as wf from '@temporalio/workflow';
import {
  type PayoutActivities,
  type PayoutLifecycleInput,
  type PayoutLifecycleResult,
  type PayoutSnapshot,
  type PayoutState,
  QUERIES,
  SIGNALS,
} from '../src/contracts/workflows.ts';
import { database, partner } from './support/activity-options.ts';

const db = wf.proxyActivities<PayoutActivities>(database);
const rail = wf.proxyActivities<PayoutActivities>(partner);

const changed = wf.defineSignal(SIGNALS.payoutChanged);
const currentState = wf.defineQuery<PayoutState>(QUERIES.currentState);
const statusKey = { name: 'State', type: 'KEYWORD' } as const;
const attentionKey = { name: 'NeedsAttention', type: 'BOOL' } as const;

/** From the decision to pay until the payout is completed or failed. Postgres decides; this story sees it through. */
export async function payoutLifecycle(input: PayoutLifecycleInput): Promise<PayoutLifecycleResult> {
  const { payoutId } = input;
  const byHand = input.rail === 'manual';
  let wakes = 0;
  let waitingFor = 'its first attempt';
  let shown: PayoutSnapshot = BEFORE;
  wf.setHandler(changed, () => void wakes++);
  wf.setHandler(currentState, () => ({ ...stateOf(shown), waitingFor: isFinal(shown) ? 'nothing' : waitingFor }));

  const show = (now: PayoutSnapshot): PayoutSnapshot => {
    const changes = [
      ...(now.status === shown.status ? [] : [{ key: statusKey, value: now.status }]),
      ...(now.needsAttention === shown.needsAttention ? [] : [{ key: attentionKey, value: now.needsAttention }]),
    ];
    shown = now;
    if (changes.length > 0) wf.upsertSearchAttributes(changes);
    return now;
  };

  let seen = 0;
  let now = show(
    await db.startAttempt.executeWithOptions({ summary: byHand ? 'Look at the payout' : 'Write the attempt' }, [{ payoutId }]),
  );
  if (!byHand && now.status === 'processing' && now.attemptId !== null) {
    const { attemptId } = now;
    now = show(await rail.submitAttempt.executeWithOptions({ summary: `Send to ${input.rail}` }, [{ payoutId, attemptId }]));
  }

  let waits = 0;
  // A notification that came while the last step ran is taken in as well: nobody else would.
  while (!isFinal(now) || now.notificationPending) {
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payoutLifecycle>(input);
    waitingFor = byHand ? 'a person to pay and say so' : `the ${input.rail} rail to say what became of it`;
    const pause = byHand ? untilReminder(input, waits) : untilLookUp(input, waits);
    const woken = now.notificationPending || (await untilWoken(() => wakes > seen, pause, waitingFor));
    seen = wakes;
    if (!woken) waits++;
    now = show(
      byHand && !woken
        ? await db.remindPayout.executeWithOptions({ summary: `Reminder ${waits}` }, [
            { payoutId, reminder: waits, last: waits >= input.timing.remindAfterMs.length },
          ])
        : await rail.settlePayout.executeWithOptions({ summary: woken ? 'Take in what changed' : `Ask ${input.rail}` }, [
            { payoutId, ask: !woken },
          ]),
    );
  }
  return {
    status: now.status,
    amountMinor: input.amountMinor,
    currency: input.currency,
    rail: input.rail,
    attempts: now.attempts,
    failureCode: now.failureCode,
  };
}

const BEFORE: PayoutSnapshot = {
  status: 'pending',
  attemptId: null,
  attempts: 0,
  lookUp: false,
  notificationPending: false,
  needsAttention: false,
  failureCode: null,
};

const isFinal = (now: PayoutSnapshot): boolean => now.status === 'completed' || now.status === 'failed';

const stateOf = ({ status, attempts, needsAttention }: PayoutSnapshot) => ({ status, attempts, needsAttention });

/** Without a pause there is nothing to do but wait to be told. */
const untilWoken = async (woken: () => boolean, pauseMs: number | null, summary: string): Promise<boolean> => {
  if (pauseMs !== null) return wf.condition(woken, pauseMs, { summary: `Waiting for ${summary}` });
  await wf.condition(woken);
  return true;
};

const untilLookUp = ({ timing }: PayoutLifecycleInput, asked: number): number =>
  Math.min(timing.lookUpMs * 2 ** Math.min(asked, 30), timing.lookUpMaxMs);

/** Reminders count from the start of the wait; after the last there are none. */
const untilReminder = ({ timing }: PayoutLifecycleInput, said: number): number | null => {
  const next = timing.remindAfterMs[said];
  return next === undefined ? null : next - (timing.remindAfterMs[said - 1] ?? 0);
};
