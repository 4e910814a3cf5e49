import { defineSearchAttributeKey, type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { PAYOUT_TIMING } from '../contracts/payout-timing.ts';
import { RAILS } from '../contracts/rails.ts';
import {
  type PayoutSummary,
  type PayoutTiming,
  QUEUES,
  type Queue,
  SEARCH_ATTRIBUTES,
  SIGNALS,
  WORKFLOW_IDS,
} from '../contracts/workflows.ts';
import { formatMoney } from '../platform/money.ts';
import type { OutboxTopic } from '../platform/outbox/outbox.ts';

/** A waiting row of the outbox. */
export interface OutboxEntry {
  seq: string;
  topic: OutboxTopic;
  subjectId: string;
  suffix: string;
  payload: Record<string, string>;
}

/** What is to be done at Temporal. Doing it twice is harmless, by the workflow id. */
export interface WorkflowStart {
  workflowType: string;
  workflowId: string;
  taskQueue: Queue;
  args: [Record<string, unknown>];
  /** With a signal: the story is started when it does not run, and told either way. */
  signal?: string;
  searchAttributes: TypedSearchAttributes;
  summary: string;
  priorityKey: number;
  fairnessKey: string;
}

type Attribute = keyof typeof SEARCH_ATTRIBUTES;

const attributes = (values: Partial<Record<Attribute, string | number | boolean>>): TypedSearchAttributes =>
  new TypedSearchAttributes(
    Object.entries(values).map(
      ([name, value]) =>
        ({ key: defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name as Attribute]), value }) as SearchAttributePair,
    ),
  );

const payoutSummary = (payload: Record<string, string>): PayoutSummary => payload as unknown as PayoutSummary;

const payoutWorkflow = (payload: PayoutSummary, timing: PayoutTiming): WorkflowStart => ({
  workflowType: 'payoutLifecycle',
  workflowId: WORKFLOW_IDS.payout(payload.payoutId),
  taskQueue: QUEUES.payouts,
  args: [{ ...payload, timing }],
  searchAttributes: attributes({
    MerchantId: payload.merchantId,
    ProgramId: payload.programId,
    AffiliateId: payload.affiliateId,
    State: 'pending',
    Rail: payload.rail,
    Currency: payload.currency,
    AmountMinor: Number(payload.amountMinor),
    NeedsAttention: false,
  }),
  summary: `Payout ${formatMoney(Number(payload.amountMinor), payload.currency)}, ${RAILS[payload.rail].label}`,
  priorityKey: 2,
  fairnessKey: payload.merchantId,
});

/** The one table: what the outbox asks for, and which story that is. */
export const routeOf = (entry: OutboxEntry, timing: PayoutTiming = PAYOUT_TIMING): WorkflowStart => {
  const { payload } = entry;
  switch (entry.topic) {
    case 'payout.start':
      return payoutWorkflow(payoutSummary(payload), timing);
    case 'payout.changed':
      return { ...payoutWorkflow(payoutSummary(payload), timing), signal: SIGNALS.payoutChanged };
    case 'payout.return':
      return {
        ...payoutWorkflow(payoutSummary(payload), timing),
        workflowType: 'payoutReturn',
        workflowId: WORKFLOW_IDS.payoutReturn(entry.subjectId),
        args: [{ ...payload, attemptId: entry.subjectId }],
        summary: `Returned ${formatMoney(Number(payload['amountMinor']), payload['currency'] ?? 'usd')}`,
      };
    case 'webhook.deliver':
      return {
        workflowType: 'webhookDelivery',
        workflowId: WORKFLOW_IDS.delivery(entry.subjectId, entry.suffix),
        taskQueue: QUEUES.webhooks,
        args: [{ deliveryId: entry.subjectId, suffix: entry.suffix }],
        searchAttributes: attributes({ MerchantId: payload['merchantId'] ?? '' }),
        summary: 'Webhook delivery',
        priorityKey: 4,
        fairnessKey: payload['merchantId'] ?? '',
      };
  }
};
