import * as wf from '@temporalio/workflow';
import type {
  ApplicationActivities,
  ApplicationReviewInput,
  ApplicationReviewResult,
} from '../src/contracts/application-workflow.ts';
import { QUEUES } from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database } from './support/activity-options.ts';
import { type ApplicationProgress, trackApplication } from './support/application-progress.ts';
import { nextReviewStep } from './support/application-steps.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';

const steps = () => activitiesOn<ApplicationActivities>(QUEUES.reviews, database);

/**
 * From the submission of an application that waits until it is decided, withdrawn or expired. Requests decide in Postgres and
 * signal the decision; this reminds the merchant and asks for the decline at the deadline. A run that is started again
 * continues where the last one was lost.
 */
export async function applicationReview(input: ApplicationReviewInput): Promise<ApplicationReviewResult> {
  const { applicationId, affiliateId, program } = input;
  const progress = trackApplication(input);
  const note = () =>
    progress.run(
      steps().noteCancellation.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ applicationId }]),
    );
  await ignoreCancellation(note, () => waitForDecision(input, progress));
  const { status, expired } = progress.application;
  return { program, status, expired, applicationId, affiliateId };
}

const waitForDecision = async (input: ApplicationReviewInput, progress: ApplicationProgress): Promise<void> => {
  const { applicationId } = input;
  const { loadApplication, remindApplication, expireApplication } = steps();
  await progress.run(loadApplication.executeWithOptions({ summary: 'Load application' }, [{ applicationId }]));
  for (let tries = 0; progress.application.status === 'pending'; ) {
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof applicationReview>(input);
    const next = nextReviewStep(input, progress.application, tries);
    if (await progress.waitForDecision(next)) return;
    const { reminder } = next;
    if (reminder === null) {
      tries++;
      await progress.run(expireApplication.executeWithOptions({ summary: 'Decline at the deadline' }, [{ applicationId }]));
    } else {
      const summary = `Send reminder ${reminder}`;
      await progress.run(remindApplication.executeWithOptions({ summary }, [{ applicationId, reminder }]));
    }
  }
};
