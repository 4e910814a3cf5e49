export { eraseFlagMentions, eraseFlags } from './erase-flags.ts';
export { getFlagReviewState } from './flag-state.queries.ts';
export { applyFlagDeadline, recordFlagCancellation, rejectFlagged, remindFlag } from './flag-steps.ts';
export { resumeHolds, UNFINISHED_FLAGS } from './flag-workflow.ts';
export { FLAG_EVENTS } from './flags.examples.ts';
export { type RaisedFlag, type RaiseFlagInput, raiseFlag } from './raise-flag.ts';
export { findBacklog } from './screening.queries.ts';
export { UNSCREENED_SHARDS } from './unscreened-shards.ts';
export { screenClicks, screenConversions } from './use-cases/screening.ts';
