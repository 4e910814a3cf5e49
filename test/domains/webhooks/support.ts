import { randomUUID } from 'node:crypto';
import { webhookActivities } from '../../../activities/webhooks.ts';
import type { DomainEvent, EventType } from '../../../src/contracts/events.ts';
import type { DeliveryResult, LaneReport } from '../../../src/contracts/webhooks.ts';
import { createProgram } from '../../../src/domains/programs/index.ts';
import { getWebhookDelivery } from '../../../src/domains/webhooks/deliveries/webhook-deliveries.queries.ts';
import { createLaneDrainer, type DeliverySchedule, STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import type { LaneDrainer } from '../../../src/domains/webhooks/lanes/lane-drainer.ts';
import { listWaitingDeliveries, type WaitingDelivery } from '../../../src/domains/webhooks/lanes/lanes.queries.ts';
import { laneOf, slotOf, slotsOf } from '../../../src/domains/webhooks/lanes/slots.ts';
import {
  type CreateWebhookEndpointInput,
  createWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { type Context, emit, inTransaction } from '../../../src/platform/context.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { FIRST_ID } from '../../../src/platform/ids.ts';
import { createOutbound, type Outbound } from '../../../src/platform/outbound/outbound.ts';
import { openRuntime, type Runtime } from '../../../src/runtime.ts';
import { SLOW_DATABASE, type TestEnvironment, testConfig } from '../../support/api.ts';
import { asActivity } from '../../support/as-activity.ts';
import { makeMerchant } from '../../support/factories.ts';
import { createTestDatabase } from '../../support/stack/database.ts';
import { until } from '../../support/until.ts';
import { useForFile } from '../../support/use-for-file.ts';

export interface TestClock {
  now(): Date;
  advance(ms: number): void;
}

export interface WebhookBench {
  runtime: Runtime;
  clock: TestClock;
  /** Creates a merchant with one program. It acts through an API key. */
  merchant(): Promise<TestMerchant>;
  /** Calls the activity once, as Temporal does. Returns the wait in milliseconds if no attempt is due. Without the list of attempts. */
  attempt(
    deliveryId: string,
    suffix?: string,
    outbound?: Outbound,
  ): Promise<Pick<DeliveryResult, 'end' | 'attempts'> | { waitMs: number }>;
  /** Drains all lanes, as their activities do, until the condition holds. */
  drainUntil(isDone: () => Promise<boolean>, options?: DrainUntilOptions): Promise<LaneReport>;
  /** What a process learns about endpoints while it drains lanes. */
  drainer(times?: { runMs: number; idleMs?: number }): LaneDrainer;
  outbox(deliveryId: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface DrainUntilOptions {
  /** Keeps what is known about endpoints from one call to the next. */
  drainer?: LaneDrainer;
}

export interface EventInput {
  type?: EventType;
  programId?: string | null;
  data?: object;
}

export interface TestMerchant {
  id: string;
  programId: string;
  ctx(): Context;
  endpoint(input: Partial<CreateWebhookEndpointInput> & { url: string }): Promise<{ id: string; signingSecret: string }>;
  /** Emits in a transaction of its own; returns the ids of the new deliveries, oldest first. */
  emit(event?: EventInput): Promise<string[]>;
  delivery(id: string): ReturnType<typeof getWebhookDelivery>;
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
    async emit(input = {}) {
      const mark = await newestDelivery(runtime, id);
      const event = { type: 'payout.completed', merchantId: id, programId, data: { id: randomUUID() }, ...input };
      // Tests also emit payloads that the types forbid.
      await inTransaction(ctx(), (inner) => emit(inner, event as DomainEvent));
      const created = await rows(
        ctx().em,
        sql<{ id: string }>`select id from webhook_delivery where merchant_id = ${id}::uuid and id > ${mark}::uuid order by id`,
      );
      return created.map((row) => row.id);
    },
    delivery: (deliveryId) => getWebhookDelivery(ctx(), deliveryId),
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

const drainLanes = async (
  runtime: Runtime,
  isDone: () => Promise<boolean>,
  options: DrainUntilOptions & { outbound: Outbound },
): Promise<LaneReport> => {
  const { outbound } = options;
  const context = (name: string) => runtime.context({ kind: 'system', name });
  const drainer = options.drainer ?? createLaneDrainer({ context, outbound, schedule: WITHOUT_JITTER, runMs: 600_000 });
  const stopping = new AbortController();
  const drains = Promise.all(
    Array.from({ length: LANES }, (_, lane) => drainer.drain(lane, { stopping: stopping.signal, onProgress: () => {} })),
  );
  drains.catch(() => stopping.abort());
  await until('the lanes have done their work', () => stopping.signal.aborted || isDone()).finally(() => stopping.abort());
  const reports = await drains;
  const sum = (name: 'succeeded' | 'failed') => reports.reduce((total, report) => total + report[name], 0);
  return { succeeded: sum('succeeded'), failed: sum('failed') };
};

/** The production schedule without jitter. */
const WITHOUT_JITTER: DeliverySchedule = { ...STANDARD_SCHEDULE, jitter: 0 };

export const openWebhookBench = async (more: TestEnvironment = {}): Promise<WebhookBench> => {
  const database = await createTestDatabase();
  const clock = movableClock();
  const runtime = await openRuntime(testConfig(database.url, { ...SLOW_DATABASE, ...more }), 'test', clock);
  const defaultOutbound = createOutbound({ policy: runtime.settings.outbound, userAgent: 'Tributary/test' });
  const contextFor = (name: string) => runtime.context({ kind: 'system', name });
  return {
    runtime,
    clock,
    merchant: async () => merchantOn(runtime, await makeOwner(runtime)),
    async attempt(deliveryId, suffix = '', outbound = defaultOutbound) {
      const { attemptDelivery } = webhookActivities({ context: contextFor, outbound, schedule: WITHOUT_JITTER });
      try {
        const { end, attempts } = await asActivity(attemptDelivery)({ deliveryId, suffix });
        return { end, attempts };
      } catch (caught) {
        const error = caught as { type?: string; nextRetryDelay?: number };
        if (error.type !== 'DeliveryWaits') throw error;
        return { waitMs: error.nextRetryDelay ?? 0 };
      }
    },
    drainUntil: (isDone, options = {}) => drainLanes(runtime, isDone, { outbound: defaultOutbound, ...options }),
    drainer: (times = { runMs: 600_000 }) =>
      createLaneDrainer({ context: contextFor, outbound: defaultOutbound, schedule: WITHOUT_JITTER, ...times }),
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
export const useWebhookBench = (more: TestEnvironment = {}): WebhookBench => useForFile(() => openWebhookBench(more));

/** Unless a test changes their number. */
const LANES = 8;

export const laneOfEndpoint = (endpointId: string): number => laneOf(slotOf(endpointId), LANES);

/** Those of the deliveries that their lane has yet to send, as its owner reads them. */
export const waitingInLane = async (ctx: Context, lane: number, ids: readonly string[]): Promise<WaitingDelivery[]> => {
  const limits = new Map<string, number>();
  const slots = slotsOf(lane, LANES);
  const read = { slots, after: FIRST_ID, maxEndpoints: 10_000, limits, defaultLimit: 10, maxPriority: 5, exclude: [] };
  const { endpoints } = await listWaitingDeliveries(ctx, read);
  return endpoints.flatMap(({ deliveries }) => deliveries).filter(({ id }) => ids.includes(id));
};
