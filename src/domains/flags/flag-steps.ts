import { getFlagReviewState } from './flag-state.queries.ts';
import { applyFlagDeadline } from './use-cases/apply-flag-deadline.ts';
import { recordFlagCancellation } from './use-cases/record-flag-cancellation.ts';
import { rejectFlagged } from './use-cases/reject-flagged.ts';
import { remindFlag } from './use-cases/remind-flag.ts';

/** The steps of the flag workflow. Each runs at least once and is safe to repeat. */
export const FLAG_STEPS = { getFlagReviewState, remindFlag, applyFlagDeadline, rejectFlagged, recordFlagCancellation };
