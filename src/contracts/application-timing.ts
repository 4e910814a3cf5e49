const DAY = 86_400_000;

/** How long an application may wait, counted from its submission. */
export interface ApplicationTiming {
  /** When the merchant is reminded. */
  remindAfterMs: readonly number[];
  /** When it is declined with the note "expired". */
  expireAfterMs: number;
}

export const APPLICATION_TIMING: ApplicationTiming = { remindAfterMs: [3 * DAY, 7 * DAY], expireAfterMs: 30 * DAY };

/** Applications of one person to one program within `REAPPLY_AFTER_MS`: each notifies the merchant. */
export const MAX_RECENT_APPLICATIONS = 10;

/** How long after a decline the person may not apply to the program again. */
export const REAPPLY_AFTER_MS = 30 * DAY;
