const HOUR = 3_600_000;

/** How long something waits for the approval of a second actor, counted from when it was asked for. */
export interface ApprovalTiming {
  remindAfterMs: readonly number[];
  expireAfterMs: number;
}

export const APPROVAL_TIMING: ApprovalTiming = { remindAfterMs: [24 * HOUR, 72 * HOUR], expireAfterMs: 168 * HOUR };
