import { defineSearchAttributeKey, type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { APPLICATION_TIMING } from '../../contracts/applications.ts';
import { FLAG_TIMING } from '../../contracts/flags.ts';
import { MAIL_TIMING } from '../../contracts/mail.ts';
import type { OutboxMessage, OutboxTopic } from '../../contracts/outbox.ts';
import {
  BULK_PRIORITY_KEY,
  type Namespace,
  SEARCH_ATTRIBUTES,
  type SearchAttribute,
  type SearchValues,
  type StartOptions,
  type WorkflowDescriptor,
} from '../../contracts/workflows/descriptor.ts';
import { ALL_WORKFLOWS, type StartSettings } from '../../contracts/workflows/index.ts';
import { RUN_TIMING } from '../../contracts/workflows/payout-runs.ts';
import { PAYOUT_TIMING } from '../../contracts/workflows/payouts.ts';

/** A leased row of the outbox. */
export type OutboxEntry<T extends OutboxTopic = OutboxTopic> = OutboxMessage<T> & { seq: string; traceParent?: string | null };

/** One call to Temporal. Repeating it is harmless because the workflow id is derived from the row. */
export interface WorkflowStart {
  workflowType: string;
  namespace: Namespace;
  workflowId: string;
  args: [object];
  /** What happens when the id belongs to a closed workflow. A second start joins a running one. */
  reusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';
  /** Sent to the workflow, which is started first if it is not running. */
  signal?: string;
  signalArgs?: [object];
  /** 1 (first) to 5 (last) among the tasks of a queue. */
  priorityKey: number;
  /** Tasks of the same priority are shared out evenly among these keys. */
  fairnessKey: string;
  /** True when other installations may use the same id: it gets the prefix of this one. */
  isPrefixed: boolean;
  searchAttributes: TypedSearchAttributes;
  summary: string;
  /** Markdown. */
  details: string;
}

const DEFAULTS: StartSettings = {
  timing: PAYOUT_TIMING,
  runTiming: RUN_TIMING,
  applicationTiming: APPLICATION_TIMING,
  flagTiming: FLAG_TIMING,
  mailTiming: MAIL_TIMING,
  links: { api: '/api/v1', workflows: null },
};

const BY_TOPIC = new Map(
  ALL_WORKFLOWS.flatMap((workflow) => Object.values(workflow.topics ?? {}).map((topic) => [topic, workflow] as const)),
);

const toSearchAttributes = (values: SearchValues): TypedSearchAttributes =>
  new TypedSearchAttributes(
    Object.entries(values).map(
      ([name, value]) =>
        ({ key: defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name as SearchAttribute]), value }) as SearchAttributePair,
    ),
  );

/** The call that starts a workflow as its descriptor says. */
export const startOf = (
  { type, namespace, restartedBy, priorityKey = BULK_PRIORITY_KEY, isPrefixed = false }: WorkflowDescriptor,
  { workflowId, input, attributes, summary, details }: StartOptions,
): WorkflowStart => ({
  workflowType: type,
  namespace,
  workflowId,
  args: [input],
  reusePolicy: restartedBy === 'anyone' ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
  priorityKey,
  fairnessKey: type,
  isPrefixed,
  searchAttributes: toSearchAttributes(attributes),
  summary,
  details,
});

/** The call for a row. Throws for a topic of no workflow, such as one of a newer version. */
export const routeOf = (message: OutboxMessage | OutboxEntry, settings: StartSettings = DEFAULTS): WorkflowStart => {
  const workflow = BY_TOPIC.get(message.topic);
  if (!workflow?.start) throw new Error(`No route for outbox topic ${message.topic}`);
  const { topics, signal } = workflow;
  const { payload, subjectId } = message;
  return {
    ...startOf(workflow, workflow.start(message, settings)),
    ...(message.reconciled ? { reusePolicy: 'ALLOW_DUPLICATE' } : {}),
    ...(signal && topics?.signal === message.topic ? { signal: signal.name } : {}),
    ...('snapshot' in payload ? { signalArgs: [payload.snapshot] } : {}),
    ...(message.bulk ? { priorityKey: BULK_PRIORITY_KEY } : {}),
    ...('merchantId' in payload ? { fairnessKey: payload.merchantId ?? subjectId } : {}),
  };
};

export const workflowIdOf = ({ isPrefixed, workflowId }: WorkflowStart, queuePrefix: string): string =>
  (isPrefixed ? queuePrefix : '') + workflowId;
