import * as wf from '@temporalio/workflow';
import type { FlagCurrentState, FlagReviewInput, FlagReviewState, FlagSnapshot } from '../../src/contracts/flag-review.ts';
import { QUERIES, SIGNALS } from '../../src/contracts/workflows.ts';
import { describeFlag, type FlagWait, flagTimerSummary, needsAttention } from './flag-details.ts';
import { trackFlagAttributes } from './flag-search.ts';

const changed = wf.defineSignal<[FlagSnapshot]>(SIGNALS.flagChanged);
const currentState = wf.defineQuery<FlagCurrentState>(QUERIES.currentState);

/** The newest state of the flag, whether an activity returned it or a signal brought part of it. */
export interface FlagProgress {
  readonly flag: FlagReviewState;
  /** Takes the state that the step returns. */
  run(step: Promise<FlagReviewState>): Promise<void>;
  /** Resolves to true once a newer snapshot was signalled, to false when the next step is due. */
  waitForChange(wait: FlagWait): Promise<boolean>;
}

/** Registers the handlers of the `flagChanged` signal and the `currentState` query. */
export const trackFlag = (input: FlagReviewInput): FlagProgress => {
  let flag = INITIAL;
  let wait: FlagWait = { what: 'a decision', next: null };
  /** Of the newest state that an activity returned: a signal brings only part of it. */
  let loaded = 0;
  const search = trackFlagAttributes();
  const show = () => {
    wf.setCurrentDetails(describeFlag(input, flag, wait));
    if (loaded > 0) search.set(flag);
  };
  wf.setHandler(changed, (snapshot) => {
    // Signals may be repeated and reordered.
    if (snapshot.version > flag.version) flag = { ...flag, ...snapshot };
  });
  wf.setHandler(currentState, () => ({
    status: flag.status,
    waitingFor: flag.isHolding ? wait.what : 'nothing',
    dueAt: flag.status === 'open' ? flag.dueAt : null,
    needsAttention: needsAttention(flag),
  }));

  return {
    get flag() {
      return flag;
    },

    async run(step) {
      const state = await step;
      loaded = Math.max(loaded, state.version);
      // A signal may have brought a newer one meanwhile; the numbers are of the state.
      flag = state.version >= flag.version ? state : { ...state, ...snapshotOf(flag) };
      show();
    },

    async waitForChange(next) {
      wait = next;
      const isChanged = () => flag.version > loaded;
      show();
      if (wait.next === null) await wf.condition(isChanged);
      else await wf.condition(isChanged, Math.max(wait.next.atMs - Date.now(), 1), { summary: flagTimerSummary(wait) });
      return isChanged();
    },
  };
};

const snapshotOf = ({ version, status, dueAt, deadlineAction, isHolding }: FlagReviewState): FlagSnapshot => ({
  version,
  status,
  dueAt,
  deadlineAction,
  isHolding,
});

/** Older than every stored flag. */
const INITIAL: FlagReviewState = {
  version: 0,
  status: 'open',
  dueAt: new Date(0).toISOString(),
  deadlineAction: null,
  isHolding: true,
  reminders: 0,
  atDeadline: 'keep_open',
  conversions: 0,
  held: 0,
  heldMinor: '0',
  currency: 'usd',
  heldAmount: '0',
  inPayout: 0,
};
