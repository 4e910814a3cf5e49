import * as wf from '@temporalio/workflow';
import {
  type PayoutSnapshot,
  type PayoutState,
  type PayoutWorkflowInput,
  QUERIES,
  SIGNALS,
} from '../../src/contracts/workflows.ts';
import { describePayout, formatTime, isFinal, type PayoutWait } from './payout-details.ts';
import { trackSearchAttributes } from './payout-search.ts';

const changed = wf.defineSignal<[PayoutSnapshot]>(SIGNALS.payoutChanged);
const currentState = wf.defineQuery<PayoutState>(QUERIES.currentState);

/** The newest snapshot of the payout, whether an activity returned it or a signal brought it. */
export interface PayoutProgress {
  readonly payout: PayoutSnapshot;
  /**
   * Takes the snapshot that the step returns. Resolves earlier when a signal says that the payout is final: nobody needs
   * the result of the step then.
   */
  run(step: Promise<PayoutSnapshot>): Promise<void>;
  /**
   * Resolves to true once something changed: a newer snapshot was signalled, or anything while the payout is pending, since
   * what holds it up may be outside of it. Resolves to false when the next step is due.
   */
  waitForChange(wait: PayoutWait): Promise<boolean>;
}

/** Registers the handlers of the `payoutChanged` signal and the `currentState` query. */
export const trackPayout = (input: PayoutWorkflowInput): PayoutProgress => {
  let signals = 0;
  let seen = 0;
  let wait: PayoutWait = { what: 'its first attempt', next: null };
  let payout = INITIAL;
  const search = trackSearchAttributes();
  const show = () => wf.setCurrentDetails(describePayout(input, payout, wait));
  /**
   * Signals may be repeated and reordered, and an activity may return later than the signal of a newer state. Another payout puts this
   * one on hold without a new version.
   */
  const take = (snapshot: PayoutSnapshot): void => {
    if (snapshot.version < payout.version) return;
    payout = snapshot;
    show();
    if (isFinal(payout)) search.set(payout, null);
  };
  wf.setHandler(changed, (snapshot) => {
    signals++;
    take(snapshot);
  });
  wf.setHandler(currentState, () => ({
    status: payout.status,
    attempts: payout.attempts,
    needsAttention: payout.needsAttention,
    waitingFor: isFinal(payout) ? 'nothing' : wait.what,
  }));
  show();
  const final = wf.condition(() => isFinal(payout));

  return {
    get payout() {
      return payout;
    },

    async run(step) {
      seen = signals;
      await Promise.race([step.then(take), final]);
    },

    async waitForChange(next) {
      wait = next;
      const { version } = payout;
      const isChanged = () => payout.version > version || (payout.status === 'pending' && signals > seen);
      show();
      search.set(payout, wait.next?.atMs ?? null);
      if (wait.next === null) await wf.condition(isChanged);
      else await wf.condition(isChanged, Math.max(wait.next.atMs - Date.now(), 1), { summary: timerSummary(wait) });
      return isChanged();
    },
  };
};

/** "Waiting for sandbox to confirm (next look-up 2026-01-31 21:05 UTC)". */
const timerSummary = ({ what, next }: PayoutWait): string =>
  next === null ? `Waiting for ${what}` : `Waiting for ${what} (${next.label} ${formatTime(next.atMs)})`;

/** Older than every stored payout. */
const INITIAL: PayoutSnapshot = {
  version: 0,
  status: 'pending',
  attemptId: null,
  attempts: 0,
  attemptOutcome: null,
  sendCount: 0,
  needsAttention: false,
  reviewReason: null,
  railReason: null,
  failureCode: null,
  resendAt: null,
  onHold: null,
};
