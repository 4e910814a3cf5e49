import type { ApplicationSnapshot, ApplicationSummary } from './application-workflow.ts';
import type { FlagSnapshot, FlagSummary } from './flag-review.ts';
import type { MailSummary } from './mail.ts';
import type { ReplayInput } from './webhooks.ts';
import type { PayoutSnapshot, PayoutSummary } from './workflows.ts';

/** Payload by topic. Ids and amounts only: payloads end up in workflow histories, so never personal data. */
export interface OutboxPayloads {
  'payout.start': PayoutSummary;
  'payout.changed': PayoutSummary & { snapshot: PayoutSnapshot };
  'payout.return': PayoutSummary & { attemptId: string; attemptNumber: number };
  'payout.contradiction': PayoutSummary & { n: number };
  'payout.contradiction_resolved': PayoutSummary & { n: number };
  'application.start': ApplicationSummary;
  'application.changed': ApplicationSummary & { snapshot: ApplicationSnapshot };
  'flag.start': FlagSummary;
  'flag.changed': FlagSummary & { snapshot: FlagSnapshot };
  'mail.send': MailSummary;
  'webhook.deliver': { merchantId: string; endpointId: string };
  'webhook.replay': ReplayInput;
  'screening.wake': { shard: number };
}

export type OutboxTopic = keyof OutboxPayloads;

/** Rows of a smaller number are relayed first; each larger one gets a share of every few batches. */
export const OUTBOX_PRIORITIES = { payouts: 0, mail: 1, webhooks: 2, bulk: 3 } as const;

export type OutboxPriority = (typeof OUTBOX_PRIORITIES)[keyof typeof OUTBOX_PRIORITIES];

/** The priority of each topic. A row that is marked as bulk has the last one, whatever its topic. */
export const TOPIC_PRIORITIES: { readonly [T in OutboxTopic]: OutboxPriority } = {
  'payout.start': OUTBOX_PRIORITIES.payouts,
  'payout.changed': OUTBOX_PRIORITIES.payouts,
  'payout.return': OUTBOX_PRIORITIES.payouts,
  'payout.contradiction': OUTBOX_PRIORITIES.payouts,
  'payout.contradiction_resolved': OUTBOX_PRIORITIES.payouts,
  'application.start': OUTBOX_PRIORITIES.mail,
  'application.changed': OUTBOX_PRIORITIES.mail,
  'flag.start': OUTBOX_PRIORITIES.payouts,
  'flag.changed': OUTBOX_PRIORITIES.payouts,
  'mail.send': OUTBOX_PRIORITIES.mail,
  'webhook.deliver': OUTBOX_PRIORITIES.webhooks,
  'webhook.replay': OUTBOX_PRIORITIES.webhooks,
  'screening.wake': OUTBOX_PRIORITIES.mail,
};

export const OUTBOX_TOPICS = Object.keys(TOPIC_PRIORITIES) as readonly OutboxTopic[];

/** A request to start or signal a workflow, discriminated by `topic`. `src/relay/routing.ts` maps each topic to a workflow. */
export type OutboxMessage<T extends OutboxTopic = OutboxTopic> = {
  [K in T]: {
    topic: K;
    subjectId: string;
    /**
     * Makes a row unique among the waiting rows of its topic and subject. Null: any number of rows may wait, so that no transaction
     * waits for another, and one call to Temporal serves them all.
     */
    suffix: string | null;
    payload: OutboxPayloads[K];
    /** Written by the reconciler, or by an operator who repeats what was given up: it may start a workflow again under the id of one that was closed before its work ended. */
    reconciled?: boolean;
    /** Part of many rows that one action enqueues, such as a replay: it yields to everything else. */
    bulk?: boolean;
    /** Not relayed earlier. Default: at once. */
    notBefore?: Date;
  };
}[T];
