import { defineSearchAttributeKey, type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { PAYOUT_PATIENCE } from '../contracts/patience.ts';
import {
  type PayoutFacts,
  type PayoutPatience,
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
  facts: Record<string, string>;
}

/** What is to be done at Temporal. Doing it twice is harmless, by the workflow id. */
export interface Story {
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

const payoutFacts = (facts: Record<string, string>): PayoutFacts => facts as unknown as PayoutFacts;

const RAIL_NAMES: Record<string, string> = { manual: 'by hand', sandbox: 'sandbox' };

const payoutStory = (facts: PayoutFacts, patience: PayoutPatience): Story => ({
  workflowType: 'payoutLifecycle',
  workflowId: WORKFLOW_IDS.payout(facts.payoutId),
  taskQueue: QUEUES.payouts,
  args: [{ ...facts, patience }],
  searchAttributes: attributes({
    MerchantId: facts.merchantId,
    ProgramId: facts.programId,
    AffiliateId: facts.affiliateId,
    PayoutStatus: 'pending',
    Rail: facts.rail,
    Currency: facts.currency,
    AmountMinor: Number(facts.amountMinor),
    NeedsAttention: false,
  }),
  summary: `Payout ${formatMoney(Number(facts.amountMinor), facts.currency)}, ${RAIL_NAMES[facts.rail] ?? facts.rail}`,
  priorityKey: 2,
  fairnessKey: facts.merchantId,
});

/** The one table: what the outbox asks for, and which story that is. */
export const routeOf = (entry: OutboxEntry, patience: PayoutPatience = PAYOUT_PATIENCE): Story => {
  const { facts } = entry;
  switch (entry.topic) {
    case 'payout.start':
      return payoutStory(payoutFacts(facts), patience);
    case 'payout.changed':
      return { ...payoutStory(payoutFacts(facts), patience), signal: SIGNALS.payoutChanged };
    case 'payout.return':
      return {
        ...payoutStory(payoutFacts(facts), patience),
        workflowType: 'payoutReturn',
        workflowId: WORKFLOW_IDS.payoutReturn(entry.subjectId),
        args: [{ ...facts, attemptId: entry.subjectId }],
        summary: `Returned ${formatMoney(Number(facts['amountMinor']), facts['currency'] ?? 'usd')}`,
      };
    case 'webhook.deliver':
      return {
        workflowType: 'webhookDelivery',
        workflowId: WORKFLOW_IDS.delivery(entry.subjectId, entry.suffix),
        taskQueue: QUEUES.webhooks,
        args: [{ deliveryId: entry.subjectId, suffix: entry.suffix }],
        searchAttributes: attributes({ MerchantId: facts['merchantId'] ?? '' }),
        summary: 'Webhook delivery',
        priorityKey: 4,
        fairnessKey: facts['merchantId'] ?? '',
      };
  }
};
