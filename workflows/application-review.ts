import * as wf from '@temporalio/workflow';
import type { ApplicationReviewInput, ApplicationSnapshot } from '../src/contracts/applications.ts';
import {
  type ApplicationActivities,
  type ApplicationReviewResult,
  type ApplicationState,
  applicationAttributes,
  applicationReview as descriptor,
} from '../src/contracts/workflows/application-review.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeCopy } from '../src/contracts/workflows/text.ts';
import { applicationButtons } from '../src/texts/application.finance.en.ts';
import { describeApplication } from './pages/application.ts';
import { activitiesOn, database } from './support/activities.ts';
import { showSuperseded } from './support/claim.ts';
import { isCopy } from './support/copy.ts';
import { ignoreCancellation, type Page } from './support/ignore-cancellation.ts';
import { publish } from './support/publish.ts';
import { type Progress, track } from './support/track.ts';
import { versioningOf } from './support/versioning.ts';

type ApplicationProgress = Progress<ApplicationSnapshot>;

const steps = () => activitiesOn<ApplicationActivities>(QUEUES.reviews, database);

/**
 * From the submission of an application that waits until it is decided, withdrawn or expired. Requests decide in Postgres and
 * signal the decision; this reminds the merchant and asks for the decline at the deadline. A run that is started again
 * continues where the last one was lost.
 */
export async function applicationReview(input: ApplicationReviewInput): Promise<ApplicationReviewResult> {
  const { applicationId, affiliateId, program } = input;
  const record = () =>
    steps().noteCancellation.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ applicationId }]);
  const { approve, decline, block } = applicationButtons;
  const instead = () => `Only a decision in the console ends it: “${approve}”, “${decline}” or “${block}”.`;
  return ignoreCancellation({ record, instead }, async (page) => {
    if (isCopy(descriptor.id(applicationId))) {
      showSuperseded(page, describeCopy('application', descriptor.id(applicationId), input.links));
      return { program, status: 'superseded', expired: false, applicationId, affiliateId };
    }
    const progress = trackApplication(input, page);
    await waitForDecision(input, progress);
    const { status, expired } = progress.snapshot;
    return { program, status, expired, applicationId, affiliateId };
  });
}
wf.setWorkflowOptions(versioningOf(descriptor), applicationReview);

const WHAT = 'the merchant to decide';

const trackApplication = (input: ApplicationReviewInput, page: Page): ApplicationProgress =>
  track(descriptor, {
    wait: { what: WHAT, next: null },
    show(application, wait) {
      page.show(describeApplication(input, application, wait));
      publish(applicationAttributes(input, application));
    },
    state: ({ status, reminders }, { what }): ApplicationState => ({
      status,
      reminders,
      waitingFor: status === 'pending' ? what : 'nothing',
    }),
  });

const waitForDecision = async (input: ApplicationReviewInput, progress: ApplicationProgress): Promise<void> => {
  const { applicationId } = input;
  const { loadApplication, remindApplication, expireApplication } = steps();
  await progress.run(loadApplication.executeWithOptions({ summary: 'Load application' }, [{ applicationId }]));
  for (let tries = 0; !progress.isFinal; ) {
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof applicationReview>(input);
    const { atMs, reminder } = nextReviewStep(input, progress.snapshot, tries);
    const label = reminder === null ? 'the decline at the deadline' : `reminder ${reminder}`;
    if (await progress.waitUntil(() => progress.isFinal, { what: WHAT, next: { label, atMs } })) return;
    if (reminder === null) {
      tries++;
      await progress.run(expireApplication.executeWithOptions({ summary: 'Decline at the deadline' }, [{ applicationId }]));
    } else {
      const summary = `Send reminder ${reminder}`;
      await progress.run(remindApplication.executeWithOptions({ summary }, [{ applicationId, reminder }]));
    }
  }
};

/** What the workflow does by itself if nobody decides before. */
interface ReviewStep {
  atMs: number;
  /** Null: the application is declined. */
  reminder: number | null;
}

/** While the clock of the database is behind: the decline comes as soon as it shows the deadline, too. */
const RETRY_MS = 5_000;

/** If several reminders are overdue, only the last one is sent. `tries` counts declines that came too early. */
const nextReviewStep = (
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
