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

const changed = wf.defineSignal(SIGNALS.payoutChanged);
const currentState = wf.defineQuery<PayoutState>(QUERIES.currentState);

/** The payout as the workflow last loaded it, and the signals that tell it to load it again. */
export interface PayoutProgress {
  /** Shows the snapshot in the current details and the `currentState` query, and returns it. */
  update(payout: PayoutSnapshot): PayoutSnapshot;
  /**
   * Resolves to true once something changed: a notification is pending, or a signal arrived since the last call. Resolves
   * to false when the next step is due.
   */
  waitForChange(wait: PayoutWait): Promise<boolean>;
}

/** A notification that arrived during the last activity is applied even when the payout is final by then. */
export const isSettled = (payout: PayoutSnapshot): boolean => isFinal(payout) && !payout.notificationPending;

/** Registers the handlers of the `payoutChanged` signal and the `currentState` query. */
export const trackPayout = (input: PayoutWorkflowInput): PayoutProgress => {
  let signals = 0;
  let seen = 0;
  let wait: PayoutWait = { what: 'its first attempt', next: null };
  let payout = INITIAL;
  const search = trackSearchAttributes();
  const show = () => wf.setCurrentDetails(describePayout(input, payout, wait));
  wf.setHandler(changed, () => void signals++);
  wf.setHandler(currentState, () => ({
    status: payout.status,
    attempts: payout.attempts,
    needsAttention: payout.needsAttention,
    waitingFor: isFinal(payout) ? 'nothing' : wait.what,
  }));
  show();

  return {
    update(latest) {
      payout = latest;
      show();
      if (isSettled(latest)) search.set(latest, null);
      return latest;
    },

    async waitForChange(next) {
      wait = next;
      const hasSignal = () => signals > seen;
      let isChanged = true;
      if (!payout.notificationPending) {
        show();
        search.set(payout, wait.next?.atMs ?? null);
        if (wait.next === null) await wf.condition(hasSignal);
        else isChanged = await wf.condition(hasSignal, Math.max(wait.next.atMs - Date.now(), 1), { summary: timerSummary(wait) });
      }
      seen = signals;
      return isChanged;
    },
  };
};

/** "Waiting for sandbox to confirm (next look-up 2026-01-31 21:05 UTC)". */
const timerSummary = ({ what, next }: PayoutWait): string =>
  next === null ? `Waiting for ${what}` : `Waiting for ${what} (${next.label} ${formatTime(next.atMs)})`;

const INITIAL: PayoutSnapshot = {
  status: 'pending',
  attemptId: null,
  attempts: 0,
  attemptOutcome: null,
  sendCount: 0,
  notificationPending: false,
  needsAttention: false,
  reviewReason: null,
  railReason: null,
  failureCode: null,
  resendAt: null,
  onHold: null,
};
