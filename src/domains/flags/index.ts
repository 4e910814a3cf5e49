export { eraseFlagMentions, eraseFlags } from './erase-flags.steps.ts';
export { applyFlagDeadline, recordFlagCancellation, rejectFlagged, remindFlag } from './flag-review.steps.ts';
export { getFlagReviewState } from './flag-state.queries.ts';
export { resumeHolds, UNFINISHED_FLAGS } from './flag-workflow.steps.ts';
export { FLAG_EVENTS } from './flags.examples.ts';
export { type RaisedFlag, type RaiseFlagInput, raiseFlag } from './raise-flag.steps.ts';
export { findBacklog } from './screening.queries.ts';
export { UNSCREENED_SHARDS } from './unscreened-shards.steps.ts';
export { screenClicks, screenConversions } from './use-cases/screening.ts';
