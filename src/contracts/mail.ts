/** What a mail is about. Stored forever: a kind is never renamed. */
export const MAIL_KINDS = [
  'merchant_activity',
  'weekly_digest',
  'application_waiting',
  'application_reminder',
  'flag_opened',
  'flag_reminder',
  'flag_deadline',
  'approval_threshold_changed',
  'rule_change_requested',
  'application_decided',
  'payout_completed',
  'payout_failed',
  'payout_to_claim',
  'payout_details_changed',
  'payout_details_rejected',
  'payout_attention',
  'payout_reminder',
  'payout_approval',
  'payout_run_approval',
  'adjustment_approval',
  'payouts_waiting',
  'payout_run_scheduled',
  'resource_announced',
  'program_invite',
  'webhook_created',
  'webhook_origin_changed',
  'webhook_failing',
  'webhook_disabled',
  'webhook_recovered',
  'account_changed',
  'person_invited',
  'sign_in',
  'join_requested',
  'sign_up_requested',
  'passkey_changed',
  'passkey_replacement',
  'sale_problem',
  'reconciliation',
  'payments_held',
  'rail_account_held',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Sent to any address that somebody enters: whoever has it can end them for good. */
export const MAILS_BY_STRANGERS = [
  'person_invited',
  'join_requested',
  'sign_up_requested',
] as const satisfies readonly MailKind[];
export type MailByStranger = (typeof MAILS_BY_STRANGERS)[number];

export const isMailByStranger = (kind: MailKind): boolean => MAILS_BY_STRANGERS.some((each) => each === kind);

export const MAIL_STATUSES = ['queued', 'sent', 'given_up'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** Why a try failed. `unreadable`: the address or the text cannot be decrypted. */
export const MAIL_ERRORS = [
  'address_refused',
  'message_refused',
  'unreadable',
  'refused_for_now',
  'sender_refused',
  'login_refused',
  'connection_failed',
  'connection_lost',
  'tls_failed',
  'timeout',
  'folder_not_writable',
  'internal_error',
] as const;
export type MailError = (typeof MAIL_ERRORS)[number];

/** No later try can succeed. */
const FINAL_ERRORS: ReadonlySet<MailError> = new Set(['address_refused', 'message_refused', 'unreadable']);

export const isFinalMailError = (error: MailError): boolean => FINAL_ERRORS.has(error);

/** What the workflow of a mail needs. No address and no text: histories are not encrypted. */
export interface MailSummary {
  mailId: string;
  kind: MailKind;
  /** Null: no merchant is concerned. */
  merchantId: string | null;
  /** What the mail is about: a payout, an application, a flag, a merchant, a profile, a program, a marketing resource or a webhook endpoint. */
  subjectId: string;
  /** ISO time from which the tries are counted. */
  queuedAt: string;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface MailTiming {
  /** Pause after each failed try; the last one repeats. */
  retryAfterMs: readonly number[];
  /** After this time, there is one more try and then none. */
  giveUpAfterMs: number;
}

const MINUTE = 60_000;
const HOUR = 3_600_000;

export const MAIL_TIMING: MailTiming = {
  retryAfterMs: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR],
  giveUpAfterMs: 72 * HOUR,
};

/** Lines for people first, then ids. */
export interface MailDeliveryInput extends MailSummary {
  mail: string;
  timing: MailTiming;
}

/** The mail after a try. */
export interface MailSnapshot {
  status: MailStatus;
  tries: number;
  /** Error of the last try; null when it succeeded. */
  lastError: MailError | null;
  /** Reply code of the mail server, such as 450. */
  smtpCode: number | null;
}

export interface MailDeliveryResult extends MailSnapshot {
  mail: string;
  /** What a person may do; null when there is nothing to do. */
  next: string | null;
  mailId: string;
}

/** Result of the `currentState` query. */
export interface MailState extends MailSnapshot {
  waitingFor: string;
  needsAttention: boolean;
}

export interface MailActivities {
  /** One try. `last`: the mail is given up when it fails. Runs at least once: a repeated try has the same Message-ID. */
  sendMail(input: { mailId: string; last: boolean }): Promise<MailSnapshot>;
}
