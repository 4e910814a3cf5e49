import * as wf from '@temporalio/workflow';
import { QUERIES } from '../src/contracts/workflows/descriptor.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import {
  describeScreening,
  screening as descriptor,
  type FailedRules,
  type ScreeningActivities,
  type ScreeningInput,
  type ScreeningResult,
  type ScreeningState,
} from '../src/contracts/workflows/screening.ts';
import { activitiesOn, database } from './support/activities.ts';
import { endAsCopy, isPrefixedCopy, type Superseded } from './support/copy.ts';
import { publish } from './support/publish.ts';
import { onSignal } from './support/track.ts';

const currentState = wf.defineQuery<ScreeningState>(QUERIES.currentState);

/**
 * Screens the conversions of one shard until none is left and no wake-up came for `idleMs`. Which conversions wait is read from
 * Postgres; nothing of them is in this history. A requested cancellation has no effect: an unscreened commission is never paid.
 */
export async function screening(input: ScreeningInput): Promise<{ screened: number } | Superseded> {
  const own = descriptor.id(input.shard);
  if (isPrefixedCopy(own)) return endAsCopy('screening', own);
  return wf.CancellationScope.nonCancellable(() => screenUntilIdle(input));
}

const screenUntilIdle = async ({ shard, idleMs }: ScreeningInput): Promise<{ screened: number }> => {
  const { screenShard } = activitiesOn<ScreeningActivities>(QUEUES.reviews, database);
  let isWoken = false;
  onSignal(descriptor.signal, () => {
    isWoken = true;
  });
  let state = initialOf(shard);
  wf.setHandler(currentState, () => state);
  let more = false;
  do {
    isWoken = false;
    const summary = `Screen new conversions of shard ${shard}`;
    const result = await screenShard.executeWithOptions({ summary }, [{ shard }]);
    state = after(state, result);
    wf.setCurrentDetails(describeScreening(state));
    // A shard that keeps up writes nothing.
    publish({ State: state.status, NeedsAttention: state.needsAttention });
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof screening>({ shard, idleMs });
    more = result.more;
  } while (more || isWoken || (await wf.condition(() => isWoken, idleMs)));
  return { screened: state.screened };
};

const initialOf = (shard: number): ScreeningState => ({
  shard,
  status: 'current',
  screened: 0,
  waiting: 0,
  waitingSince: null,
  failedRules: {},
  waitingFor: 'the first step',
  needsAttention: false,
});

const after = (
  before: ScreeningState,
  { screened, more, waiting, waitingSince, failedRules }: ScreeningResult,
): ScreeningState => {
  const failures = added(before.failedRules, failedRules);
  return {
    shard: before.shard,
    status: more ? 'behind' : 'current',
    screened: before.screened + screened,
    waiting,
    waitingSince,
    failedRules: failures,
    waitingFor: more ? 'the next step' : 'new conversions',
    needsAttention: Object.keys(failures).length > 0,
  };
};

const added = (before: FailedRules, more: FailedRules): FailedRules => {
  const sum = { ...before };
  for (const [rule, conversions] of Object.entries(more)) sum[rule] = (sum[rule] ?? 0) + conversions;
  return sum;
};
