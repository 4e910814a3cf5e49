import type { ApplicationReviewInput, ApplicationSnapshot } from '../../src/contracts/application-workflow.ts';

/** What the workflow does by itself if nobody decides before. */
export interface ReviewStep {
  atMs: number;
  /** Null: the application is declined. */
  reminder: number | null;
}

/** While the clock of the database is behind: the decline comes as soon as it shows the deadline, too. */
const RETRY_MS = 5_000;

/** Of several reminders that are overdue only the last one is sent. `tries` counts declines that came too early. */
export const nextReviewStep = (
  { createdAt, dueAt, timing }: ApplicationReviewInput,
  { reminders }: ApplicationSnapshot,
  tries: number,
): ReviewStep => {
  const now = Date.now();
  const dueMs = Date.parse(dueAt);
  if (dueMs <= now) return { atMs: tries === 0 ? dueMs : now + RETRY_MS, reminder: null };
  const left = timing.remindAfterMs
    .map((ms, at) => ({ atMs: Date.parse(createdAt) + ms, reminder: at + 1 }))
    .filter(({ atMs, reminder }) => reminder > reminders && atMs < dueMs);
  return left.findLast(({ atMs }) => atMs <= now) ?? left[0] ?? { atMs: dueMs, reminder: null };
};
