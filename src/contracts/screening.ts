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
