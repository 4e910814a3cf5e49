import type { Source } from './affiliates.ts';
import type { ApplicationStatus, RiskNote } from './applications.ts';
import type { PayoutLinks } from './workflows.ts';

/** The data of an application that its workflow needs. Times are ISO 8601. */
export interface ApplicationSummary {
  applicationId: string;
  merchantId: string;
  programId: string;
  /** Of the membership that an approval creates. */
  affiliateId: string;
  programName: string;
  source: Source;
  riskNotes: RiskNote[];
  createdAt: string;
  /** When it is declined if nobody decided. */
  dueAt: string;
}

/** Input of `applicationReview`: lines for people first, then ids. */
export interface ApplicationReviewInput extends Omit<ApplicationSummary, 'programName'> {
  program: string;
  timing: { remindAfterMs: readonly number[] };
  links: PayoutLinks;
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
  /** When the cancellation of the workflow was requested last, which has no effect; null when it never was. */
  cancellationIgnoredAt: string | null;
}

/** Result of the `currentState` query. */
export interface ApplicationState {
  status: ApplicationStatus;
  waitingFor: string;
  reminders: number;
}

export interface ApplicationReviewResult {
  program: string;
  status: ApplicationStatus;
  expired: boolean;
  applicationId: string;
  affiliateId: string;
}

/** Every activity runs at least once and is safe to repeat. */
export interface ApplicationActivities {
  loadApplication(input: { applicationId: string }): Promise<ApplicationSnapshot>;
  /** Reminds the merchant. `reminder` counts from 1; one that was sent is not sent again. */
  remindApplication(input: { applicationId: string; reminder: number }): Promise<ApplicationSnapshot>;
  /** Declines an application that is still pending at its deadline. */
  expireApplication(input: { applicationId: string }): Promise<ApplicationSnapshot>;
  /** Notes that a cancellation of the workflow was requested; it has no effect. */
  noteCancellation(input: { applicationId: string }): Promise<ApplicationSnapshot>;
}
