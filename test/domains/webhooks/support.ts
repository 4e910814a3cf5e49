import { randomUUID } from 'node:crypto';
import { webhookActivities } from '../../../activities/webhooks.ts';
import type { DomainEvent } from '../../../src/contracts/events.ts';
import type { DeliveryResult } from '../../../src/contracts/webhooks.ts';
import { createProgram } from '../../../src/domains/programs/index.ts';
import { type DeliverySchedule, STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import {
  type CreateWebhookEndpointInput,
  createWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/create-webhook-endpoint.ts';
import { getDelivery } from '../../../src/domains/webhooks/webhooks.queries.ts';
import { type Context, emit, inTransaction } from '../../../src/platform/context.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { createOutbound, type Outbound } from '../../../src/platform/outbound/outbound.ts';
import { openRuntime, type Runtime } from '../../../src/runtime.ts';
import { SLOW_DATABASE, testConfig } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { createTestDatabase } from '../../support/stack/database.ts';
import { useForFile } from '../../support/use-for-file.ts';

export interface TestClock {
  now(): Date;
  advance(ms: number): void;
}

export interface WebhookBench {
  runtime: Runtime;
  clock: TestClock;
  /** A merchant of its own with one program; acts through a key. */
  merchant(): Promise<TestMerchant>;
  /** One call of the activity, as Temporal makes it. A wait comes back as its milliseconds. */
  look(deliveryId: string, suffix?: string, outbound?: Outbound): Promise<DeliveryResult | { waitMs: number }>;
  outbox(deliveryId: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface TestMerchant {
  id: string;
  programId: string;
  ctx(): Context;
  endpoint(input: Partial<CreateWebhookEndpointInput> & { url: string }): Promise<{ id: string; signingSecret: string }>;
  /** Announces in a transaction of its own; returns the deliveries it made, in the order of their ids. */
  announce(event?: Partial<DomainEvent>): Promise<string[]>;
  delivery(id: string): ReturnType<typeof getDelivery>;
}

const movableClock = (): TestClock => {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance: (ms) => {
      ahead += ms;
    },
  };
};

const makeOwner = async (runtime: Runtime): Promise<{ id: string; programId: string }> => {
  const { merchantId } = await makeMerchant(runtime);
  const program = await createProgram(runtime.context({ kind: 'system', name: 'test' }), {
    merchantId,
    name: 'Partners',
    commissionType: 'one_time',
    commissionPercent: 10,
  });
  return { id: merchantId, programId: program.id };
};

const merchantOn = (runtime: Runtime, { id, programId }: { id: string; programId: string }): TestMerchant => {
  const ctx = () => runtime.context({ kind: 'key', keyId: randomUUID(), keyType: 'merchant', ownerId: id, scopes: [] });
  return {
    id,
    programId,
    ctx,
    async endpoint(input) {
      const made = await createWebhookEndpoint(ctx(), { name: 'Test', subscribedEvents: ['payout.completed'], ...input });
      return { id: made.endpoint.id, signingSecret: made.signingSecret };
    },
    async announce(event = {}) {
      const mark = await newestDelivery(runtime, id);
      const told = { type: 'payout.completed', merchantId: id, programId, data: { id: randomUUID() }, ...event } as const;
      await inTransaction(ctx(), (inner) => emit(inner, told));
      const made = await rows(
        ctx().em,
        sql<{ id: string }>`select id from webhook_delivery where merchant_id = ${id}::uuid and id > ${mark}::uuid order by id`,
      );
      return made.map((row) => row.id);
    },
    delivery: (deliveryId) => getDelivery(ctx(), deliveryId),
  };
};

const newestDelivery = async (runtime: Runtime, merchantId: string): Promise<string> => {
  const { em } = runtime.context({ kind: 'system', name: 'test' });
  const [row] = await rows(
    em,
    sql<{ id: string }>`select id from webhook_delivery where merchant_id = ${merchantId}::uuid order by id desc limit 1`,
  );
  return row?.id ?? '00000000-0000-0000-0000-000000000000';
};

/** The schedule of production without its chance, so that tests can state times. */
const STEADY: DeliverySchedule = { ...STANDARD_SCHEDULE, jitter: 0 };

export const openWebhookBench = async (): Promise<WebhookBench> => {
  const database = await createTestDatabase();
  const clock = movableClock();
  const runtime = await openRuntime(testConfig(database.url, SLOW_DATABASE), 'test', clock);
  const usual = createOutbound({ policy: runtime.settings.outbound, userAgent: 'Tributary/test' });
  const contextFor = (name: string) => runtime.context({ kind: 'system', name });
  return {
    runtime,
    clock,
    merchant: async () => merchantOn(runtime, await makeOwner(runtime)),
    async look(deliveryId, suffix = '', outbound = usual) {
      const { attemptDelivery } = webhookActivities({ context: contextFor, outbound, schedule: STEADY });
      return attemptDelivery({ deliveryId, suffix }).catch((error: { type?: string; nextRetryDelay?: number }) => {
        if (error.type !== 'DeliveryWaits') throw error;
        return { waitMs: error.nextRetryDelay ?? 0 };
      });
    },
    async outbox(deliveryId) {
      const { em } = contextFor('test');
      const waiting = await rows(
        em,
        sql<{
          suffix: string;
        }>`select suffix from outbox where topic = 'webhook.deliver' and subject_id = ${deliveryId}::uuid order by seq`,
      );
      return waiting.map((row) => row.suffix);
    },
    async close() {
      await runtime.close();
      await database.drop();
    },
  };
};

/** One for all tests of this file. */
export const useWebhookBench = (): WebhookBench => useForFile(openWebhookBench);
