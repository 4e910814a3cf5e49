import type { Source } from './affiliates.ts';
import type { WorkflowLinks } from './workflows/text.ts';

export const APPLICATION_STATUSES = ['pending', 'approved', 'declined', 'withdrawn', 'blocked'] as const;
export type ApplicationStatus = (typeof APPLICATION_STATUSES)[number];

/** Every decision ends the wait, and none is followed by another. */
export const canDecide = (from: ApplicationStatus, to: ApplicationStatus): boolean => from === 'pending' && to !== 'pending';

/** Only a merchant who adds a blocked applicant as an affiliate lifts the block. */
export const canLift = (from: ApplicationStatus, to: ApplicationStatus): boolean => from === 'blocked' && to === 'approved';

/** What a person should look at before approving. With any of them, nothing is approved automatically. */
export const RISK_NOTES = ['disposable_email', 'merchant_email_domain', 'duplicate_payout_details'] as const;
export type RiskNote = (typeof RISK_NOTES)[number];

/** Note of an application that nobody decided in time. */
export const EXPIRED_NOTE = 'expired';

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

/** The data of an application that its workflow needs. Times are ISO 8601. */
export interface ApplicationSummary {
  applicationId: string;
  merchantId: string;
  programId: string;
  /** The membership that an approval creates. */
  affiliateId: string;
  programName: string;
  companyName?: string;
  source: Source;
  riskNotes: RiskNote[];
  createdAt: string;
  /** When it is declined if nobody decided. */
  dueAt: string;
}

/** Input of `applicationReview`: lines for people first, then ids. */
export interface ApplicationReviewInput extends Omit<ApplicationSummary, 'programName' | 'companyName'> {
  program: string;
  timing: { remindAfterMs: readonly number[] };
  links: WorkflowLinks;
}

/** Result of each activity of `applicationReview`, and argument of `applicationChanged`. */
export interface ApplicationSnapshot {
  /** Rises with each change: of two snapshots, the higher one is newer. */
  version: number;
  status: ApplicationStatus;
  /** Whether it was declined because nobody decided in time. */
  expired: boolean;
  /** Reminders whose time came. The merchant received those of a program that is not archived. */
  reminders: number;
  /** An archived program takes no affiliates. As it was when the application changed last. */
  isProgramArchived: boolean;
  /** The role of who decided; null when a rule or the deadline did. */
  decidedBy?: string | null;
}
