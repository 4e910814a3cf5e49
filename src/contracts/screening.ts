/** Conversions are screened by this many workflows, those of one affiliate always by the same: the function `screening_shard` in the database. */
export const SCREENING_SHARDS = 16;

export interface ScreeningInput {
  shard: number;
  /** How long the workflow stays open when nothing is left to screen. */
  idleMs: number;
}

export const SCREENING_IDLE_MS = 10_000;

export interface ScreeningResult {
  screened: number;
  /** True when more may wait. */
  more: boolean;
}

/** Every activity runs at least once and is safe to repeat. */
export interface ScreeningActivities {
  /** Screens the conversions of a shard in batches for about 5 seconds. */
  screenShard(input: { shard: number }): Promise<ScreeningResult>;
}
