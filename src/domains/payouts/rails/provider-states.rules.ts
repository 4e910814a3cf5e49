import { factsOf, type Rail, type RailFacts } from '../../../contracts/rails.ts';

/** Where a transfer is at its provider, by the provider's own word, and since when. */
export interface ProviderState {
  railState?: string | null;
  railStateAt?: Date | null;
  acceptedAt?: Date | null;
}

/** How long an accepted order may take, and since when that counts. A state with a limit of its own has all of it. */
export const limitOf = (
  facts: RailFacts,
  { railState, railStateAt, acceptedAt }: ProviderState,
): { maxMs: number; since: Date | null } => {
  const own = railState ? facts.acceptedForMs[railState] : undefined;
  if (own === undefined) return { maxMs: facts.acceptedForMs.default, since: acceptedAt ?? null };
  return { maxMs: own, since: railStateAt ?? acceptedAt ?? null };
};

/** The pause before the next look-up after so long in a state: the pauses follow one another, and the last one is repeated. */
export const pauseAfter = (pausesMs: readonly number[], elapsedMs: number): number => {
  let endMs = 0;
  for (const pauseMs of pausesMs) {
    endMs += pauseMs;
    // A look-up comes a little before its time.
    if (elapsedMs < endMs - pauseMs / 2) return pauseMs;
  }
  return pausesMs.at(-1) ?? 0;
};

/** Null where the rail leaves it to the schedule of the workflow. */
export const pausesIn = (rail: Rail, railState: string | null): readonly number[] | null =>
  (railState === null ? null : factsOf(rail)?.pollsMs[railState]) ?? null;
