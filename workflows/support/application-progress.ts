import * as wf from '@temporalio/workflow';
import type { ApplicationReviewInput, ApplicationSnapshot, ApplicationState } from '../../src/contracts/application-workflow.ts';
import { QUERIES, SIGNALS } from '../../src/contracts/workflows.ts';
import { describeApplication, stepText } from './application-details.ts';
import type { ReviewStep } from './application-steps.ts';
import { trackReviewAttributes } from './review-search.ts';

const changed = wf.defineSignal<[ApplicationSnapshot]>(SIGNALS.applicationChanged);
const currentState = wf.defineQuery<ApplicationState>(QUERIES.currentState);

/** The newest snapshot of the application, whether an activity returned it or a signal brought it. */
export interface ApplicationProgress {
  readonly application: ApplicationSnapshot;
  /** Takes the snapshot that the step returns. Resolves earlier once the application is decided. */
  run(step: Promise<ApplicationSnapshot>): Promise<void>;
  /** Resolves to true once the application is decided, to false when the next step is due. */
  waitForDecision(next: ReviewStep): Promise<boolean>;
}

/** Registers the handlers of the `applicationChanged` signal and the `currentState` query. */
export const trackApplication = (input: ApplicationReviewInput): ApplicationProgress => {
  let next: ReviewStep | null = null;
  let application = INITIAL;
  const dueMs = Date.parse(input.dueAt);
  const publish = trackReviewAttributes({ state: 'pending', needsAttention: false, dueMs });
  const isDecided = () => application.status !== 'pending';
  const show = () => {
    wf.setCurrentDetails(describeApplication(input, application, next));
    publish({
      state: application.expired ? 'expired' : application.status,
      needsAttention: !isDecided() && application.reminders >= input.timing.remindAfterMs.length,
      dueMs: isDecided() ? null : dueMs,
    });
  };
  /** Signals may be repeated and reordered, and an activity may return later than the signal of a newer state. */
  const take = (snapshot: ApplicationSnapshot): void => {
    if (snapshot.version <= application.version) return;
    application = snapshot;
    show();
  };
  wf.setHandler(changed, take);
  wf.setHandler(currentState, () => ({
    status: application.status,
    reminders: application.reminders,
    waitingFor: isDecided() ? 'nothing' : 'the merchant to decide',
  }));
  show();
  // A cancellation would end the wait, and with it the workflow.
  const decided = wf.CancellationScope.nonCancellable(() => wf.condition(isDecided));

  return {
    get application() {
      return application;
    },

    async run(step) {
      await Promise.race([step.then(take), decided]);
    },

    async waitForDecision(step) {
      next = step;
      show();
      const summary = `Waiting for the merchant to decide (${stepText(step)})`;
      return wf.condition(isDecided, Math.max(step.atMs - Date.now(), 1), { summary });
    },
  };
};

/** Older than every stored application. */
const INITIAL: ApplicationSnapshot = {
  version: 0,
  status: 'pending',
  expired: false,
  reminders: 0,
  isProgramArchived: false,
  cancellationIgnoredAt: null,
};
