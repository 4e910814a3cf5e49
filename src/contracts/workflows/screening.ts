import { isAnything, type StartMessage, type WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';
import { countOf, detailsOf, formatTime } from './text.ts';

/** Conversions are screened by this many workflows, those of one affiliate always by the same: the function `screening_shard` in the database. */
export const SCREENING_SHARDS = 16;

export interface ScreeningInput {
  shard: number;
  /** How long the workflow stays open when nothing is left to screen. */
  idleMs: number;
}

export const SCREENING_IDLE_MS = 10_000;

/** Conversions by the name of a fraud rule that threw for them. A person looks at each. */
export type FailedRules = Readonly<Record<string, number>>;

/** Conversions that wait to be screened. */
export interface ScreeningBacklog {
  /** Counted up to `MAX_COUNTED_BACKLOG`. */
  waiting: number;
  /** When the oldest was created, ISO 8601; null when none waits. */
  waitingSince: string | null;
}

export const MAX_COUNTED_BACKLOG = 10_000;

export interface ScreeningResult extends ScreeningBacklog {
  screened: number;
  /** True when more may wait. */
  more: boolean;
  failedRules: FailedRules;
}

/** Result of the `currentState` query: of the present run. */
export interface ScreeningState extends ScreeningBacklog {
  shard: number;
  /** `behind` when its last step ended before all was screened. */
  status: 'current' | 'behind';
  screened: number;
  failedRules: FailedRules;
  waitingFor: string;
  /** Whether a rule threw. */
  needsAttention: boolean;
}

/** Every activity runs at least once and is safe to repeat. */
export interface ScreeningActivities {
  /** Screens the conversions of a shard in batches for about 5 seconds. */
  screenShard(input: { shard: number }): Promise<ScreeningResult>;
}

const backlogOf = ({ waiting, waitingSince }: ScreeningState): string | null => {
  if (waitingSince === null) return null;
  const count = waiting < MAX_COUNTED_BACKLOG ? countOf(waiting, 'conversion') : `${waiting} or more conversions`;
  return `${count}, the oldest since ${formatTime(Date.parse(waitingSince))}. Waiting conversions are neither approved nor paid`;
};

const failuresOf = ({ failedRules }: ScreeningState): string | null => {
  const failures = Object.entries(failedRules).map(([rule, conversions]) => `\`${rule}\` for ${conversions}`);
  return failures.length === 0 ? null : failures.join(', ');
};

/** What an operator may do; null when there is nothing to do. */
const nextStepOf = ({ status, needsAttention }: ScreeningState): string | null => {
  if (needsAttention) {
    return 'Correct the cause, which the log of the worker names ("a fraud rule failed"). The conversions are on flags of the type `manual_review`';
  }
  return status === 'behind' ? 'If it lasts, run more workers with the role `reviews`, and look at the load of Postgres' : null;
};

const TITLES: Readonly<Record<ScreeningState['status'], string>> = { current: '✓ **Up to date**', behind: '⏳ **Behind**' };

/** The shard as an operator reads it. Markdown. */
export const describeScreening = (state: ScreeningState): string => {
  const title = state.needsAttention ? '⚠ **A rule fails**' : TITLES[state.status];
  return detailsOf(`${title}, shard ${state.shard}`, [
    ['Screened by this run', countOf(state.screened, 'conversion')],
    ['Waiting', backlogOf(state)],
    ['Rules that failed', failuresOf(state)],
    ['**What to do**', nextStepOf(state)],
  ]);
};

const id = (shard: number): string => `screening/${shard}`;

export const screening = {
  type: 'screening',
  namespace: 'background',
  queues: [QUEUES.reviews],
  id,
  isPrefixed: true,
  // A shard ends when nothing is left to screen, and starts again under its id.
  restartedBy: 'anyone',
  topics: { signal: 'screening.wake' },
  signal: { name: 'wake', isValid: isAnything },
  outboxPriority: 'mail',
  priorityKey: 3,
  start: ({ payload: { shard } }: StartMessage<{ shard: number }>) => ({
    workflowId: id(shard),
    input: { shard, idleMs: SCREENING_IDLE_MS },
    attributes: { State: 'current', NeedsAttention: false },
    summary: `Screening, shard ${shard}`,
    details: 'Screens new conversions with the fraud rules. A conversion can be approved and paid once it is screened.',
  }),
} as const satisfies WorkflowDescriptor;
