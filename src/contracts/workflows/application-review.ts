import {
  APPLICATION_STATUSES,
  type ApplicationReviewInput,
  type ApplicationSnapshot,
  type ApplicationStatus,
  type ApplicationSummary,
  type ApplicationTiming,
} from '../applications.ts';
import { type ApplicationSituation, applicationSituation } from '../situations/application.ts';
import { applicationLinks, applicationSummaryLine } from './application-review.texts.ts';
import {
  type CancellationRequest,
  newestOf,
  type SearchValues,
  type StartMessage,
  type TrackedWorkflow,
  type WorkflowDescriptor,
} from './descriptor.ts';
import { isCount, isFlag, isNullOr, isObjectOf, isOneOf, isOptional, isText } from './predicates.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

/** Result of the `currentState` query. */
export interface ApplicationState {
  status: ApplicationStatus;
  waitingFor: string;
  reminders: number;
}

export interface ApplicationReviewResult {
  program: string;
  status: ApplicationStatus | 'superseded';
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
  noteCancellation(input: { applicationId: string }): Promise<CancellationRequest>;
}

/** Where the application is. */
export const situationOfApplication = (
  { dueAt }: Pick<ApplicationReviewInput, 'dueAt'>,
  application: ApplicationSnapshot,
): ApplicationSituation => applicationSituation({ ...application, dueAt });

/** What the list of workflows shows. */
export const applicationAttributes = (
  { dueAt, timing }: Pick<ApplicationReviewInput, 'dueAt' | 'timing'>,
  application: ApplicationSnapshot,
): SearchValues => {
  const { status, reminders } = application;
  return {
    State: situationOfApplication({ dueAt }, application).state,
    NeedsAttention: status === 'pending' && reminders >= timing.remindAfterMs.length,
    DecideBy: status === 'pending' ? new Date(dueAt) : null,
  };
};

const initial: ApplicationSnapshot = {
  version: 0,
  status: 'pending',
  expired: false,
  reminders: 0,
  isProgramArchived: false,
  decidedBy: null,
};

interface Settings {
  applicationTiming: Pick<ApplicationTiming, 'remindAfterMs'>;
  links: WorkflowLinks;
}

const id = (applicationId: string): string => `application/${applicationId}`;

export const applicationReview = {
  type: 'applicationReview',
  namespace: 'finance',
  queues: [QUEUES.reviews],
  id,
  restartedBy: 'reconciler',
  versioning: 'PINNED',
  topics: { start: 'application.start', signal: 'application.changed' },
  outboxPriority: 'mail',
  priorityKey: 3,
  start({ payload }: StartMessage<ApplicationSummary>, { applicationTiming: { remindAfterMs }, links }: Settings) {
    const { programName, companyName: _, ...application } = payload;
    const { applicationId, merchantId, programId, affiliateId, dueAt } = application;
    return {
      workflowId: id(applicationId),
      // The order of its lines is the order in the Temporal UI.
      input: { program: programName, ...application, timing: { remindAfterMs }, links },
      attributes: {
        MerchantId: merchantId,
        ProgramId: programId,
        AffiliateId: affiliateId,
        State: 'to_decide',
        NeedsAttention: false,
        DecideBy: new Date(dueAt),
      },
      summary: applicationSummaryLine(payload),
      details: applicationLinks(payload, links),
    };
  },
  initial,
  finalStates: ['approved', 'declined', 'withdrawn', 'blocked'],
  signal: {
    name: 'applicationChanged',
    take: newestOf<ApplicationSnapshot>,
    isValid: isObjectOf<ApplicationSnapshot>({
      version: isCount,
      status: isOneOf(APPLICATION_STATUSES),
      expired: isFlag,
      reminders: isCount,
      isProgramArchived: isOptional(isFlag),
      decidedBy: isOptional(isNullOr(isText)),
    }),
  },
} as const satisfies WorkflowDescriptor & TrackedWorkflow<ApplicationSnapshot>;
