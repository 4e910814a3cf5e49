import * as wf from '@temporalio/workflow';
import type { DigestActivities, DigestsResult, MailPage } from '../src/contracts/workflows/digests.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { activitiesOn, database } from './support/activities.ts';

/** Steps of one run; what is left waits for the next one. */
const MAX_ROUNDS = 500;

/** Writes the mails that are due. They are sent by workflows of their own. */
export async function digests(): Promise<DigestsResult> {
  const steps = activitiesOn<DigestActivities>(QUEUES.reviews, database);
  const { findActivityPeriod, writeActivityMails, closeActivityPeriod, writeWeeklyDigests } = steps;
  const result: DigestsResult = { activityMails: 0, weeklyDigests: 0, waitingPayoutMails: 0 };
  if (wf.patched('waiting-payout-mails'))
    result.waitingPayoutMails = await writeWaitingPayoutMails(steps.writeWaitingPayoutMails);
  let after: string | null = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const page = await writeWeeklyDigests.executeWithOptions({ summary: 'Weekly digests, where it is Monday 08:00' }, [
      { after },
    ]);
    result.weeklyDigests += page.written;
    after = page.after;
    if (after === null) break;
  }
  const period = await findActivityPeriod.executeWithOptions({ summary: 'Find the hours without mails' }, []);
  if (period === null) return result;
  after = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const page = await writeActivityMails.executeWithOptions({ summary: 'Mails about these hours' }, [{ period, after }]);
    result.activityMails += page.written;
    after = page.after;
    if (after === null) {
      await closeActivityPeriod.executeWithOptions({ summary: 'Mark the hours as done' }, [{ to: period.to }]);
      break;
    }
  }
  return result;
}

const writeWaitingPayoutMails = async (write: ReturnType<typeof activitiesOn<DigestActivities>>['writeWaitingPayoutMails']) => {
  let written = 0;
  let after: string | null = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const page: MailPage = await write.executeWithOptions({ summary: 'Payouts that wait for a person, where it is 08:00' }, [
      { after },
    ]);
    written += page.written;
    after = page.after;
    if (after === null) break;
  }
  return written;
};
