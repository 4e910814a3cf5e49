const HOUR = 3_600_000;

/** How long something waits for the approval of a second actor, counted from when it was asked for. */
export interface ApprovalTiming {
  remindAfterMs: readonly number[];
  expireAfterMs: number;
}

export const APPROVAL_TIMING: ApprovalTiming = { remindAfterMs: [24 * HOUR, 72 * HOUR], expireAfterMs: 168 * HOUR };

/** When a change that makes payouts less safe takes effect, unless a second actor approves it before. */
export const RULE_CHANGE_DELAY_MS = 72 * HOUR;

/** Settings of a merchant that protect payouts: a change that makes one less safe waits. */
export const PROTECTED_SETTINGS = ['payoutApprovalThreshold', 'payoutDailyLimit', 'detailsCooldownHours'] as const;
export type ProtectedSetting = (typeof PROTECTED_SETTINGS)[number];

/** `approved`: by a second actor. `applied`: its time came. `superseded`: the setting was changed otherwise. */
export const PENDING_CHANGE_STATUSES = ['pending', 'approved', 'applied', 'cancelled', 'superseded'] as const;
export type PendingChangeStatus = (typeof PENDING_CHANGE_STATUSES)[number];

/** What waits in the name of somebody, and is cancelled when they may no longer do it. */
export const WAITING_KINDS = [
  'payout',
  'payout_run',
  'adjustment',
  'pending_change',
  'person_invite',
  'passkey_replacement',
] as const;
export interface CancelledWork {
  kind: (typeof WAITING_KINDS)[number];
  id: string;
}

/** Minor units by currency, or hours. */
export type PendingValue = Readonly<Record<string, number>> | number | null;
