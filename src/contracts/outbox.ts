import type { PayoutContradictionInput, PayoutReturnInput, PayoutSummary } from './workflows.ts';

/** Payload by topic. Ids and amounts only: payloads end up in workflow histories, so never personal data. */
export interface OutboxPayloads {
  'payout.start': PayoutSummary;
  'payout.changed': PayoutSummary;
  'payout.return': PayoutReturnInput;
  'payout.contradiction': PayoutContradictionInput;
  'payout.contradiction_resolved': PayoutContradictionInput;
  'webhook.deliver': { merchantId: string; endpointId: string };
}

export type OutboxTopic = keyof OutboxPayloads;

/** A request to start or signal a workflow, discriminated by `topic`. `src/relay/routing.ts` maps each topic to a workflow. */
export type OutboxMessage<T extends OutboxTopic = OutboxTopic> = {
  [K in T]: {
    topic: K;
    subjectId: string;
    /** Makes a row unique among the waiting rows of its topic and subject. */
    suffix: string;
    payload: OutboxPayloads[K];
  };
}[T];
