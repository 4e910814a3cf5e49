import * as wf from '@temporalio/workflow';
import type { FailedRules, ScreeningResult, ScreeningState } from '../../src/contracts/screening.ts';
import { QUERIES } from '../../src/contracts/workflows.ts';
import { describeScreening } from './screening-details.ts';

const currentState = wf.defineQuery<ScreeningState>(QUERIES.currentState);

const STATE = { name: 'State', type: 'KEYWORD' } as const;
const ATTENTION = { name: 'NeedsAttention', type: 'BOOL' } as const;

export interface ScreeningProgress {
  readonly screened: number;
  /** Takes the result of a step. */
  take(result: ScreeningResult): void;
}

/** Registers the handler of the `currentState` query, and shows operators how far the shard is. */
export const trackScreening = (shard: number): ScreeningProgress => {
  let state: ScreeningState = {
    shard,
    status: 'current',
    screened: 0,
    waiting: 0,
    waitingSince: null,
    failedRules: {},
    waitingFor: 'the first step',
    needsAttention: false,
  };
  wf.setHandler(currentState, () => state);
  return {
    get screened() {
      return state.screened;
    },

    take({ screened, more, waiting, waitingSince, failedRules }) {
      const failures = added(state.failedRules, failedRules);
      state = {
        shard,
        status: more ? 'behind' : 'current',
        screened: state.screened + screened,
        waiting,
        waitingSince,
        failedRules: failures,
        waitingFor: more ? 'the next step' : 'new conversions',
        needsAttention: Object.keys(failures).length > 0,
      };
      wf.setCurrentDetails(describeScreening(state));
      publish(state);
    },
  };
};

const added = (before: FailedRules, more: FailedRules): FailedRules => {
  const sum = { ...before };
  for (const [rule, conversions] of Object.entries(more)) sum[rule] = (sum[rule] ?? 0) + conversions;
  return sum;
};

/** Each write is an event of the history: a shard that keeps up writes nothing. */
const publish = ({ status, needsAttention }: ScreeningState): void => {
  const { typedSearchAttributes: written } = wf.workflowInfo();
  const changes = [
    ...(written.get(STATE) === status ? [] : [{ key: STATE, value: status }]),
    ...(written.get(ATTENTION) === needsAttention ? [] : [{ key: ATTENTION, value: needsAttention }]),
  ];
  if (changes.length > 0) wf.upsertSearchAttributes(changes);
};
