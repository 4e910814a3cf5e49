import { getApplicationSnapshot } from './application-state.queries.ts';
import { expireApplication } from './use-cases/expire-application.ts';
import { noteCancellation } from './use-cases/note-cancellation.ts';
import { remindApplication } from './use-cases/remind-application.ts';

/** The steps of `applicationReview`. Each runs at least once and is safe to repeat. */
export const APPLICATION_STEPS = {
  loadApplication: getApplicationSnapshot,
  remindApplication,
  expireApplication,
  noteCancellation,
} as const;
