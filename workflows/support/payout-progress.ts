import * as wf from '@temporalio/workflow';
import { type PayoutSnapshot, type PayoutState, QUERIES, SIGNALS } from '../../src/contracts/workflows.ts';

const changed = wf.defineSignal(SIGNALS.payoutChanged);
const currentState = wf.defineQuery<PayoutState>(QUERIES.currentState);
const stateKey = { name: 'State', type: 'KEYWORD' } as const;
const attentionKey = { name: 'NeedsAttention', type: 'BOOL' } as const;

/** The payout as the workflow last loaded it, and the signals that tell it to load it again. */
export interface PayoutProgress {
  /** Shows the snapshot in the `currentState` query and the search attributes, and returns it. */
  update(payout: PayoutSnapshot): PayoutSnapshot;
  /**
   * Resolves to true once something changed: a notification is pending, or a signal arrived since the last call. Resolves
   * to false at the timeout; null waits without one.
   */
  waitForChange(waitingFor: string, timeoutMs: number | null): Promise<boolean>;
}

export const isFinal = ({ status }: PayoutSnapshot): boolean => status === 'completed' || status === 'failed';

/** A notification that arrived during the last activity is applied even when the payout is final by then. */
export const isSettled = (payout: PayoutSnapshot): boolean => isFinal(payout) && !payout.notificationPending;

/** Registers the handlers of the `payoutChanged` signal and the `currentState` query. */
export const trackPayout = (): PayoutProgress => {
  let signals = 0;
  let seen = 0;
  let waitingFor = 'its first attempt';
  let payout = INITIAL;
  wf.setHandler(changed, () => void signals++);
  wf.setHandler(currentState, () => ({
    status: payout.status,
    attempts: payout.attempts,
    needsAttention: payout.needsAttention,
    waitingFor: isFinal(payout) ? 'nothing' : waitingFor,
  }));

  return {
    update(latest) {
      const changes = [
        ...(latest.status === payout.status ? [] : [{ key: stateKey, value: latest.status }]),
        ...(latest.needsAttention === payout.needsAttention ? [] : [{ key: attentionKey, value: latest.needsAttention }]),
      ];
      payout = latest;
      if (changes.length > 0) wf.upsertSearchAttributes(changes);
      return latest;
    },

    async waitForChange(what, timeoutMs) {
      waitingFor = what;
      const hasSignal = () => signals > seen;
      let isChanged = true;
      if (!payout.notificationPending) {
        if (timeoutMs === null) await wf.condition(hasSignal);
        else isChanged = await wf.condition(hasSignal, timeoutMs, { summary: `Waiting for ${what}` });
      }
      seen = signals;
      return isChanged;
    },
  };
};

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
