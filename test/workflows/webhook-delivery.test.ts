import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { webhookActivities } from '../../activities/webhooks.ts';
import { DELIVERY_EXHAUSTED, type WebhookActivities } from '../../src/contracts/webhooks.ts';
import type { DeliverySchedule } from '../../src/domains/webhooks/index.ts';
import { resendWebhookDelivery } from '../../src/domains/webhooks/use-cases/resend-webhook-delivery.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { openWebhookBench, type WebhookBench } from '../domains/webhooks/support.ts';
import { recordHistory } from '../support/histories.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { silenceTemporal } from '../support/silence-temporal.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const address = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';
const codePath = process.env['TEST_WORKFLOW_BUNDLE'] ?? '';

/** Four attempts; the server itself takes about a second for each retry. */
const QUICK: DeliverySchedule = {
  delaysMs: [0, 10, 10, 10],
  jitter: 0.1,
  jitterMaxMs: 5,
  minWaitMs: 5,
  maxWaitMs: 1_000,
};

let bench: WebhookBench;
let receiver: Receiver;
let client: Client;
let connection: NativeConnection;
beforeAll(async () => {
  silenceTemporal();
  [bench, receiver, connection] = await Promise.all([openWebhookBench(), startReceiver(), NativeConnection.connect({ address })]);
  client = new Client({ connection: await Connection.connect({ address }) });
});
afterAll(async () => {
  await client.connection.close();
  await Promise.all([connection.close(), bench.close(), receiver.stop()]);
});

const realActivities = (): WebhookActivities =>
  webhookActivities({
    context: (name) => bench.runtime.context({ kind: 'system', name }),
    outbound: createOutbound({ policy: bench.runtime.settings.outbound, userAgent: 'Tributary/test' }),
    schedule: QUICK,
  });

/** Runs one delivery's workflow on the real server; `meanwhile` gets the handle while it runs. */
const runDelivery = async (
  deliveryId: string,
  activities: WebhookActivities = realActivities(),
  meanwhile: (handle: Awaited<ReturnType<typeof start>>) => Promise<void> = async () => {},
  suffix = '',
) => {
  const taskQueue = `webhooks-${randomUUID()}`;
  const worker = await Worker.create({ connection, taskQueue, activities, workflowBundle: { codePath } });
  return worker.runUntil(async () => {
    const handle = await start(deliveryId, taskQueue, suffix);
    await meanwhile(handle);
    const result = await resultOf(handle);
    return { result, handle, history: await handle.fetchHistory(), details: await currentDetailsOf(handle) };
  });
};

/** A delivery that was given up ends as Failed, with its result. */
const resultOf = async (handle: WorkflowHandle): Promise<unknown> => {
  try {
    return await handle.result();
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : null;
    if (!(cause instanceof ApplicationFailure) || cause.type !== DELIVERY_EXHAUSTED) throw error;
    return cause.details?.[0];
  }
};

const start = (deliveryId: string, taskQueue: string, suffix: string) =>
  client.workflow.start('webhookDelivery', {
    workflowId: `webhook/${deliveryId}${suffix}`,
    taskQueue,
    args: [{ deliveryId, suffix }],
    workflowExecutionTimeout: '60s',
  });

const emitTo = async (path: string) => {
  const merchant = await bench.merchant();
  const endpoint = await merchant.endpoint({ url: receiver.url(path) });
  const [id = ''] = await merchant.emit({ data: { id: randomUUID(), text: 'private-text' } });
  return { merchant, endpoint, id };
};

test('a delivery that succeeds at the third attempt: retries leave no history, and the history holds ids only', async () => {
  const { merchant, endpoint, id } = await emitTo('/sequence/500,503,200/delivery');
  const { result, handle, history } = await runDelivery(id);
  expect(result).toMatchObject({ end: 'succeeded', attempts: 3 });
  await recordHistory(handle, 'webhookDelivery', 'succeeded-at-third');
  expect(await receiver.received('/sequence/500,503,200/delivery')).toHaveLength(3);
  expect(await merchant.delivery(id)).toMatchObject({ status: 'succeeded', attemptCount: 3 });
  expect(history.events?.length).toBeLessThanOrEqual(11);
  const written = Buffer.from(JSON.stringify(history)).toString();
  const payloads = [...written.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  for (const secret of ['private-text', endpoint.signingSecret, receiver.url('')]) {
    expect(written + payloads.join('\n')).not.toContain(secret);
  }
});

test('TE6: a delivery that is never accepted ends as Failed, and lists every attempt', async () => {
  const { id } = await emitTo('/status/500/exhausted');
  const { result, handle, details } = await runDelivery(id);
  expect(result).toMatchObject({ end: 'exhausted', attempts: 4 });
  const { status, searchAttributes } = await handle.describe();
  expect(status.name).toBe('FAILED');
  expect(searchAttributes).toMatchObject({ State: ['exhausted'], Reason: ['http_5xx'] });
  expect(details).toContain('**✗ Given up: the receiver did not accept it in any scheduled attempt**. Attempts so far: 4.');
  expect(details.match(/^- \d{4}-\d\d-\d\d \d\d:\d\d UTC: status 500, http\\_5xx, \d+ ms$/gm)).toHaveLength(4);
  await recordHistory(handle, 'webhookDelivery', 'exhausted');
  expect(await receiver.received('/status/500/exhausted')).toHaveLength(4);
});

test.each([
  ['500', 'failed', 'resend-failed', '**Not accepted, and scheduled attempts are not affected. '],
  ['200', 'succeeded', 'resend-succeeded', '**✓ Delivered**. Attempts so far: 1'],
])('a resend that is answered with %s sends once, ends as %s and says so', async (status, end, path, text) => {
  const { merchant, id } = await emitTo(`/status/${status}/resend`);
  await resendWebhookDelivery(merchant.ctx(), { id });
  const { result, handle, details } = await runDelivery(id, realActivities(), undefined, '/m1');
  expect(result).toMatchObject({ end, attempts: 1 });
  expect(details).toContain(text);
  await recordHistory(handle, 'webhookDelivery', path);
  expect(await receiver.received(`/status/${status}/resend`)).toHaveLength(1);
  expect(await merchant.delivery(id)).toMatchObject({ attempts: [{ trigger: 'manual', outcome: end }] });
});

test('an internal error is retried and does not count as an attempt', async () => {
  const { merchant, id } = await emitTo('/status/200/fault');
  const real = realActivities();
  let calls = 0;
  const { result } = await runDelivery(id, {
    attemptDelivery: (input) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('the database is away')) : real.attemptDelivery(input);
    },
  });
  expect(result).toMatchObject({ end: 'succeeded', attempts: 1 });
  expect((await merchant.delivery(id)).attempts).toHaveLength(1);
});

test('the same delivery is not started twice', async () => {
  const { id } = await emitTo('/slow/300/200/once');
  await runDelivery(id, realActivities(), async (handle) => {
    const again = await client.workflow.start('webhookDelivery', {
      workflowId: handle.workflowId,
      taskQueue: 'elsewhere',
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      args: [{ deliveryId: id, suffix: '' }],
    });
    expect(again.workflowId).toBe(handle.workflowId);
  });
  expect(await receiver.received('/slow/300/200/once')).toHaveLength(1);
});

test('a schedule-to-close timeout restarts the activity, a bounded number of times', async () => {
  const beyondTheTimeout = () =>
    ApplicationFailure.create({ type: 'DeliveryWaits', message: 'waits', nextRetryDelay: '8d', category: 'BENIGN' });
  let calls = 0;
  const { result } = await runDelivery(randomUUID(), {
    attemptDelivery: async () => {
      calls += 1;
      if (calls < 3) throw beyondTheTimeout();
      return { end: 'succeeded', attempts: calls };
    },
  });
  expect(result).toEqual({ end: 'succeeded', attempts: 3 });

  calls = 0;
  const endless = runDelivery(randomUUID(), {
    attemptDelivery: async () => {
      calls += 1;
      throw beyondTheTimeout();
    },
  });
  await expect(endless).rejects.toThrow('Workflow execution failed');
  expect(calls).toBe(5);
});
