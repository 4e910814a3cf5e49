import type { DigestActivities } from '../src/contracts/mail.ts';
import { QUEUES } from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database } from './support/activity-options.ts';

/** Steps of one run; what is left waits for the next one. */
const MAX_ROUNDS = 500;

export interface DigestsResult {
  activityMails: number;
  weeklyDigests: number;
}

/** Writes the mails that are due. They are sent by workflows of their own. */
export async function digests(): Promise<DigestsResult> {
  const { findActivityPeriod, writeActivityMails, closeActivityPeriod, writeWeeklyDigests } = activitiesOn<DigestActivities>(
    QUEUES.reviews,
    database,
  );
  const result: DigestsResult = { activityMails: 0, weeklyDigests: 0 };
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
