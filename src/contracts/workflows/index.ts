import type { ApplicationTiming } from '../applications.ts';
import type { FlagTiming } from '../flags.ts';
import type { MailTiming } from '../mail.ts';
import { applicationReview } from './application-review.ts';
import { bankFolders } from './bank-folders.ts';
import { commissionRelease } from './commission-release.ts';
import type { Namespace, StartMessage, WorkflowDescriptor } from './descriptor.ts';
import { digests } from './digests.ts';
import { flagReview } from './flag-review.ts';
import { mailDelivery } from './mail-delivery.ts';
import { payoutContradiction } from './payout-contradiction.ts';
import { payoutCorrection } from './payout-correction.ts';
import { payoutLifecycle } from './payout-lifecycle.ts';
import { payoutRun } from './payout-run.ts';
import type { RunTiming } from './payout-runs.ts';
import type { PayoutTiming } from './payouts.ts';
import { QUEUES, type Queue } from './queues.ts';
import { reconciliation } from './reconciliation.ts';
import { retention } from './retention.ts';
import { screening } from './screening.ts';
import type { WorkflowLinks } from './text.ts';
import { webhookDelivery } from './webhook-delivery.ts';
import { webhookLane } from './webhook-lane.ts';
import { webhookReplay } from './webhook-replay.ts';

/** What inputs of workflows contain besides the row. */
export interface StartSettings {
  timing: PayoutTiming;
  runTiming: RunTiming;
  applicationTiming: Pick<ApplicationTiming, 'remindAfterMs'>;
  flagTiming: FlagTiming;
  mailTiming: MailTiming;
  links: WorkflowLinks;
}

/** Every type of workflow. Topics, routing, activities and Schedules follow from this list. */
export const WORKFLOWS = {
  payoutLifecycle,
  payoutCorrection,
  payoutContradiction,
  payoutRun,
  applicationReview,
  flagReview,
  webhookLane,
  webhookDelivery,
  webhookReplay,
  screening,
  mailDelivery,
  commissionRelease,
  retention,
  reconciliation,
  bankFolders,
  digests,
} as const satisfies Readonly<Record<string, WorkflowDescriptor<StartSettings>>>;

export type WorkflowType = keyof typeof WORKFLOWS;

export const ALL_WORKFLOWS: readonly WorkflowDescriptor<StartSettings>[] = Object.values(WORKFLOWS);

/** Where workers poll a queue: in the namespaces of the workflows that use it. */
export const namespacesOf = (queue: Queue): Namespace[] => {
  const users = queue === QUEUES.workflows ? ALL_WORKFLOWS : ALL_WORKFLOWS.filter(({ queues }) => queues.includes(queue));
  return [...new Set(users.map(({ namespace }) => namespace))];
};

type Descriptor = (typeof WORKFLOWS)[WorkflowType];
type PayloadOf<D> = D extends { start(message: StartMessage<infer P>, settings: never): unknown } ? P : never;
type StartTopicOf<D> = D extends { topics: { start: infer T extends string } } ? T : never;
type SignalTopicOf<D> = D extends { topics: { signal: infer T extends string } } ? T : never;
/** What a row adds for its signal. */
type SignalledBy<D> = D extends { signal: { take(newest: never, signalled: infer S): unknown } } ? { snapshot: S } : unknown;

/** Payload by topic. Ids and amounts only: payloads end up in workflow histories, so never personal data. */
export type OutboxPayloads = { [D in Descriptor as StartTopicOf<D>]: PayloadOf<D> } & {
  [D in Descriptor as SignalTopicOf<D>]: PayloadOf<D> & SignalledBy<D>;
};
