import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { webhookActivities } from '../../activities/webhooks.ts';
import { STANDARD_SCHEDULE } from '../../src/domains/webhooks/index.ts';
import { disableWebhookEndpoint, enableWebhookEndpoint } from '../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { replayWebhookEndpoint } from '../../src/domains/webhooks/use-cases/webhook-replay.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { openWebhookBench, type WebhookBench } from '../domains/webhooks/support.ts';
import { makeMerchant } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { silenceTemporal } from '../support/silence-temporal.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const address = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';
const codePath = process.env['TEST_WORKFLOW_BUNDLE'] ?? '';

describe('a replay of events that the endpoint never got', () => {
  let bench: WebhookBench;
  let client: Client;
  let connection: NativeConnection;
  beforeAll(async () => {
    silenceTemporal();
    [bench, connection] = await Promise.all([openWebhookBench(), NativeConnection.connect({ address })]);
    client = new Client({ connection: await Connection.connect({ address }) });
  });
  afterAll(async () => {
    await client.connection.close();
    await Promise.all([connection.close(), bench.close()]);
  });

  test('a replay waits until what happened shortly before it is committed, queues the deliveries and ends', async () => {
    const merchant = await bench.merchant();
    const { id } = await merchant.endpoint({ url: 'https://1.1.1.1/hook' });
    const since = new Date().toISOString();
    await disableWebhookEndpoint(merchant.ctx(), { id });
    for (let n = 0; n < 3; n++) await merchant.emit({ data: { id: randomUUID(), text: 'private-text' } });
    await enableWebhookEndpoint(merchant.ctx(), { id });

    const taskQueue = `replays-${randomUUID()}`;
    const activities = webhookActivities({
      context: (name) => bench.runtime.context({ kind: 'system', name }),
      outbound: createOutbound({ policy: bench.runtime.settings.outbound, userAgent: 'Tributary/test' }),
      schedule: STANDARD_SCHEDULE,
    });
    const worker = await Worker.create({ connection, taskQueue, activities, workflowBundle: { codePath } });
    await worker.runUntil(async () => {
      const begun = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const committing = inTransaction(merchant.ctx(), async ({ em }) => {
        await em.execute('select pg_current_xact_id()');
        begun.resolve();
        await mayCommit.promise;
      });
      await begun.promise;
      const replay = await replayWebhookEndpoint(merchant.ctx(), { id, since });
      const handle = await client.workflow.start('webhookReplay', {
        workflowId: `webhook-replay/${replay.id}`,
        taskQueue,
        args: [{ replayId: replay.id, merchantId: merchant.id, endpointId: id, since, until: replay.until.toISOString() }],
        workflowExecutionTimeout: '60s',
      });
      await until(
        'the replay waits',
        () => currentDetailsOf(handle),
        (details) => details.includes('Waiting'),
      );
      mayCommit.resolve();
      await committing;
      const progress = { state: 'completed', cancelReason: null, eventsExamined: 3, deliveriesQueued: 3, waitMs: 0 };
      expect(await handle.result()).toEqual(progress);
      await recordHistory(handle, 'webhookReplay', 'completed');
      const details = await currentDetailsOf(handle);
      expect(details).toContain('Completed');
      expect(details).toContain('Deliveries queued: 3');
      expect(JSON.stringify(await handle.fetchHistory())).not.toContain('private-text');
    });
  });
});

describe('a replay of the running system', () => {
  const system = useTestSystem({ reconcile: { everyMs: 200, graceMs: 100 } });

  const runOf = (id: string) =>
    system.temporal.clients.background.workflow
      .getHandle(id)
      .describe()
      .then(({ status, runId }) => ({ status: status.name as string, runId }))
      .catch(() => ({ status: 'MISSING', runId: '' }));

  it('a replay is started by the relay, ignores a cancellation in the Temporal UI, starts again after it was terminated, and is cancelled by the API', async () => {
    const { key, merchantId } = await makeMerchant(system.runtime);
    const body = { name: 'Orders', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.completed'] };
    const { data: made } = await system.call('POST', '/webhooks', { key, body });
    const since = new Date(Date.now() - 60_000).toISOString();
    const start = () => system.call('POST', `/webhooks/${made.endpoint.id}/replay`, { key, body: { since } });
    // As if a transaction that began before it never ended.
    const started = await inTransaction(system.runtime.context({ kind: 'system', name: 'test' }), async ({ em }) => {
      await em.execute('select pg_current_xact_id()');
      const replay = await start();
      await em.execute('update webhook_replay set position = position + 1000000000000 where id = ?', [replay.data.id]);
      return replay;
    });
    const workflowId = `webhook-replay/${started.data.id}`;
    const handle = system.temporal.clients.background.workflow.getHandle(workflowId);
    const first = await until(
      'the replay is running',
      () => runOf(workflowId),
      ({ status }) => status === 'RUNNING',
    );
    const described = await handle.describe();
    expect(await described.staticSummary()).toBe(`Replay of events to webhook endpoint ${made.endpoint.id}`);
    expect(described.typedSearchAttributes.getAll().map(({ value }) => value)).toContain(merchantId);

    await handle.cancel();
    await handle.terminate('by an operator');
    await until(
      'another run of the replay has started',
      () => runOf(workflowId),
      ({ status, runId }) => status === 'RUNNING' && runId !== first.runId,
    );
    const cancelled = await system.call('POST', `/webhook-replays/${started.data.id}/cancel`, { key });
    expect(cancelled).toMatchObject({ status: 200, data: { state: 'cancelled', cancelReason: 'requested' } });
  });
});
