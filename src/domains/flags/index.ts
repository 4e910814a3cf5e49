export { FLAG_STEPS } from './flag-steps.ts';
export { FLAG_EVENTS } from './flags.examples.ts';
export { type RaisedFlag, type RaiseFlagInput, raiseFlag } from './raise-flag.ts';
export { resumeHolds } from './resume-holds.ts';
export { findBacklog } from './screening.queries.ts';
export { UNFINISHED_FLAGS } from './unfinished-flags.ts';
export { UNSCREENED_SHARDS } from './unscreened-shards.ts';
export { screenClicks } from './use-cases/screen-clicks.ts';
export { screenConversions } from './use-cases/screen-conversions.ts';
