import { ALL_WORKFLOWS, type OutboxPayloads } from './workflows/index.ts';

export type { OutboxPayloads };

export type OutboxTopic = keyof OutboxPayloads;

/** Rows of a smaller number are relayed first; each larger one gets a share of every few batches. */
export const OUTBOX_PRIORITIES = { payouts: 0, mail: 1, webhooks: 2, bulk: 3 } as const;

export type OutboxPriority = (typeof OUTBOX_PRIORITIES)[keyof typeof OUTBOX_PRIORITIES];

/** The priority of each topic. A row that is marked as bulk has the last one, whatever its topic. */
export const TOPIC_PRIORITIES = Object.fromEntries(
  ALL_WORKFLOWS.flatMap(({ topics = {}, outboxPriority = 'webhooks' }) =>
    Object.values(topics).map((topic) => [topic, OUTBOX_PRIORITIES[outboxPriority]]),
  ),
  // `fromEntries` forgets the names.
) as Readonly<Record<OutboxTopic, OutboxPriority>>;

export const OUTBOX_TOPICS = Object.keys(TOPIC_PRIORITIES) as readonly OutboxTopic[];

/** A request to start or signal a workflow, discriminated by `topic`. `src/temporal/relay/routing.ts` maps each topic to a workflow. */
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
