import { defineSearchAttributeKey, type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import type { ApplicationTiming } from '../contracts/application-timing.ts';
import type { FlagTiming } from '../contracts/flag-review.ts';
import type { MailTiming } from '../contracts/mail.ts';
import type { OutboxMessage, OutboxTopic } from '../contracts/outbox.ts';
import { type PayoutLinks, type PayoutTiming, SEARCH_ATTRIBUTES } from '../contracts/workflows.ts';

/** A claimed row of the outbox. */
export type OutboxEntry<T extends OutboxTopic = OutboxTopic> = OutboxMessage<T> & { seq: string; traceParent?: string | null };

interface WorkflowOptions {
  workflowType: string;
  /** What happens when the id belongs to a closed workflow. */
  reusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';
  /** What happens when the id belongs to a running workflow. */
  conflictPolicy: 'USE_EXISTING' | 'FAIL';
  /** Sent to the workflow, which is started first if it is not running. */
  signal?: string;
  /** 1 (first) to 5 (last) among the tasks of a queue. */
  priorityKey: number;
  /** True when other installations may use the same id: it gets the prefix of this one. */
  isPrefixed?: boolean;
}

/** One call to Temporal. Repeating it is harmless because the workflow id is derived from the row. */
export interface WorkflowStart extends WorkflowOptions {
  workflowId: string;
  args: [object];
  searchAttributes: TypedSearchAttributes;
  summary: string;
  /** Markdown. */
  details: string;
  /** Tasks of the same priority are shared out evenly among these keys. */
  fairnessKey: string;
  /** Arguments of the signal. */
  signalArgs?: [object];
}

/** What inputs of workflows contain besides the row. */
export interface RouteSettings {
  timing: PayoutTiming;
  applicationTiming: Pick<ApplicationTiming, 'remindAfterMs'>;
  flagTiming: FlagTiming;
  mailTiming: MailTiming;
  links: PayoutLinks;
}

export interface Route<T extends OutboxTopic> extends WorkflowOptions {
  workflowId(message: OutboxMessage<T>): string;
  input(message: OutboxMessage<T>, settings: RouteSettings): object;
  searchAttributes(payload: OutboxMessage<T>['payload']): TypedSearchAttributes;
  summary(payload: OutboxMessage<T>['payload']): string;
  details(message: OutboxMessage<T>, settings: RouteSettings): string;
  signalArg?(payload: OutboxMessage<T>['payload']): object;
}

export const toSearchAttributes = (
  values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string | number | boolean | Date>>,
): TypedSearchAttributes =>
  new TypedSearchAttributes(
    Object.entries(values).map(
      ([name, value]) =>
        ({
          key: defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES]),
          value,
        }) as SearchAttributePair,
    ),
  );

/** Each id is used once: a second start joins a running workflow and is rejected after a closed one. */
export const ONCE = { reusePolicy: 'REJECT_DUPLICATE', conflictPolicy: 'USE_EXISTING' } as const;
