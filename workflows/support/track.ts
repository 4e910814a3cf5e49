import * as wf from '@temporalio/workflow';
import {
  isFinal,
  newestOf,
  QUERIES,
  type SignalDescriptor,
  type TrackedWorkflow,
} from '../../src/contracts/workflows/descriptor.ts';
import { timerSummary, type Wait } from '../../src/contracts/workflows/text.ts';

type Moment = 'start' | 'signal' | 'step' | 'wait';

export interface View<Snapshot> {
  /** What is waited for first. */
  wait: Wait;
  /** Shows people the newest snapshot: at the start, after each signal and step, and when a wait begins. */
  show(snapshot: Snapshot, wait: Wait, moment: Moment): void;
  /** Result of the `currentState` query. */
  state(snapshot: Snapshot, wait: Wait): object;
}

/** The newest snapshot, whether an activity returned it or a signal brought it. */
export interface Progress<Snapshot> {
  readonly snapshot: Snapshot;
  /** Whether it is in a final state. */
  readonly isFinal: boolean;
  /** Whether a signal brought a newer version than any step returned. */
  readonly isStale: boolean;
  /** Signals since the latest step began. */
  readonly signals: number;
  /**
   * Takes the snapshot that the step returns. Resolves earlier when a signal says that the state is final: nobody needs the
   * result of the step then.
   */
  run(step: Promise<Snapshot>): Promise<void>;
  /** Resolves to whether the wait is over before the next step is due. */
  waitUntil(isOver: () => boolean, wait: Wait): Promise<boolean>;
}

/** Registers the handlers of the workflow's signal and of the `currentState` query. */
export const track = <S extends { version: number; status: string }, P>(
  workflow: TrackedWorkflow<S, P>,
  { wait: firstWait, show, state }: View<S>,
): Progress<S> => {
  const { initial: first, signal, takeResult = newestOf } = workflow;
  let snapshot = first;
  let wait = firstWait;
  let signals = 0;
  let returned = first.version;
  const isDone = () => isFinal(workflow, snapshot);
  onSignal(signal, (payload: P) => {
    signals++;
    snapshot = signal.take?.(snapshot, payload) ?? snapshot;
    show(snapshot, wait, 'signal');
  });
  wf.setHandler(wf.defineQuery<object>(QUERIES.currentState), () => state(snapshot, wait));
  show(snapshot, wait, 'start');
  // A cancellation would end the wait, and with it the workflow.
  const final = wf.CancellationScope.nonCancellable(() => wf.condition(() => !signal.isPartial && isDone()));

  return {
    get snapshot() {
      return snapshot;
    },

    get isFinal() {
      return isDone();
    },

    get isStale() {
      return snapshot.version > returned;
    },

    get signals() {
      return signals;
    },

    async run(step) {
      signals = 0;
      const taken = step.then((result) => {
        returned = Math.max(returned, result.version);
        snapshot = takeResult(snapshot, result);
        show(snapshot, wait, 'step');
      });
      await Promise.race([taken, final]);
    },

    async waitUntil(isOver, next) {
      wait = next;
      show(snapshot, wait, 'wait');
      if (wait.next === null) await wf.condition(isOver);
      else await wf.condition(isOver, Math.max(wait.next.atMs - Date.now(), 1), { summary: timerSummary(wait) });
      return isOver();
    },
  };
};

/** Prometheus adds `_total`. Counted from the first one on, and not again by a replay. */
const INVALID_SIGNALS = 'tributary_invalid_signals';

/** Calls the handler for each valid signal. Anybody who may use the namespace can send one: an invalid one has no effect. */
export const onSignal = <P>({ name, isValid }: SignalDescriptor<P>, handle: (payload: P) => void): void =>
  wf.setHandler(wf.defineSignal<[unknown]>(name), (payload) => {
    if (isValid(payload)) return handle(payload);
    wf.metricMeter.createCounter(INVALID_SIGNALS).add(1, { signal: name });
    wf.log.warn('invalid signal ignored', { signal: name });
  });
