import type { WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';

/** Half-open: `from` is included, `to` is not. ISO times. */
export interface MailPeriod {
  from: string;
  to: string;
}

/** Result of one step that goes through merchants in the order of ids. */
export interface MailPage {
  written: number;
  /** The last merchant of the step; null: there are no more. */
  after: string | null;
}

/** Each runs at least once; a merchant gets one mail per period. */
export interface DigestActivities {
  /** What the next mails about activity cover; null while the last hour is not over. */
  findActivityPeriod(): Promise<MailPeriod | null>;
  /** Writes the mails of merchants for about 5 seconds. */
  writeActivityMails(input: { period: MailPeriod; after: string | null }): Promise<MailPage>;
  /** Marks a period as done. */
  closeActivityPeriod(input: { to: string }): Promise<void>;
  /** Writes the weekly digests that are due where it is Monday morning, for about 5 seconds. */
  writeWeeklyDigests(input: { after: string | null }): Promise<MailPage>;
  /** Writes the mails about payouts that wait for a person, where it is morning, for about 5 seconds. */
  writeWaitingPayoutMails(input: { after: string | null }): Promise<MailPage>;
}

export interface DigestsResult {
  activityMails: number;
  weeklyDigests: number;
  waitingPayoutMails: number;
}

export const digests = {
  type: 'digests',
  namespace: 'background',
  queues: [QUEUES.reviews],
  schedule: {
    id: 'digests',
    interval: { every: 15 * 60_000, offset: 0 },
    catchupWindow: '1 minute',
    summary: 'Write mails about activity and waiting payouts, and weekly digests',
    details:
      'Every 15 minutes: what happened in the last hour, the week of merchants for whom it is Monday 08:00, and at 08:00 of each day the payouts that wait for a person. A missed run is made up for by the next one.',
  },
} as const satisfies WorkflowDescriptor;
