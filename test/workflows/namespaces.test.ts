import { type Namespace, SEARCH_ATTRIBUTES } from '../../src/contracts/workflows/descriptor.ts';
import { ALL_WORKFLOWS } from '../../src/contracts/workflows/index.ts';
import { QUEUES } from '../../src/contracts/workflows/queues.ts';
import { endBackgroundWorkflows } from '../../src/worker/end-background-workflows.ts';
import { ensureSchedules } from '../../src/worker/schedules.ts';
import { makeApplication } from '../support/applications.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { openTestSystem, type TestSystem, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

const typesIn = async (namespace: Namespace, of: TestSystem = system): Promise<string[]> => {
  const types = new Set<string>();
  const query = `TaskQueue STARTS_WITH "${of.runtime.config.TEMPORAL_QUEUE_PREFIX}"`;
  for await (const { type } of of.temporal.clients[namespace].workflow.list({ query })) types.add(type);
  return [...types].sort();
};

it('FI14: the list of finance shows payouts and decisions; webhooks, screening and mails have a namespace of their own', async () => {
  const { payoutId } = await makeManualPayout(system);
  await makeApplication(system);
  const finance = await until(
    'finance lists both workflows',
    () => typesIn('finance'),
    (types) => types.length >= 2,
  );
  expect(finance).toEqual(['applicationReview', 'payoutLifecycle']);
  const background = await until(
    'background lists screening and lanes',
    () => typesIn('background'),
    (types) => ['screening', 'webhookLane'].every((type) => types.includes(type)),
  );
  const others = ALL_WORKFLOWS.filter(({ namespace }) => namespace === 'background').map(({ type }) => type);
  expect(others).toEqual(expect.arrayContaining(background));
  await system.temporal.clients.finance.workflow.getHandle(`payout/${payoutId}`).terminate('end of the test');
});

it('FI14: one namespace for everything works too, and each queue is polled once', async () => {
  const { finance } = system.temporal.clients;
  const { namespace } = finance.options;
  const single = await openTestSystem({ env: { TEMPORAL_BACKGROUND_NAMESPACE: namespace } });
  try {
    expect(single.temporal.clients.background).toBe(single.temporal.clients.finance);
    const { affiliateId, programId, key } = await makePayable(single, { local: `ok+${unique()}` });
    const { data } = await single.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    const payout = () => single.call('GET', `/payouts/${data.id}`, { key });
    const ended = await until(
      'the payout is decided',
      payout,
      ({ data: { status } }) => status === 'completed' || status === 'failed',
    );
    expect(ended.data.status).toBe('completed');
    const both = ['payoutLifecycle', 'screening', 'webhookLane'];
    const types = await until(
      'the only namespace lists workflows of both kinds',
      () => typesIn('finance', single),
      (found) => both.every((type) => found.includes(type)),
    );
    expect(types).toEqual(expect.arrayContaining(both));
    const { pollers } = await finance.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: `${single.runtime.config.TEMPORAL_QUEUE_PREFIX}${QUEUES.reviews}` },
      taskQueueType: 2,
    });
    expect(pollers).toHaveLength(1);
  } finally {
    await single.close();
  }
});

it('FI14: background workflows and Schedules that were left in the namespace of finance are ended, and nothing else', async () => {
  const { clients } = system.temporal;
  const { finance } = clients;
  const queuePrefix = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}left-`;
  const taskQueue = queuePrefix + QUEUES.workflows;
  const [left, payout, foreign] = await Promise.all([
    finance.workflow.start('webhookDelivery', { workflowId: `webhook/${unique()}`, taskQueue }),
    finance.workflow.start('payoutLifecycle', { workflowId: `payout/${unique()}`, taskQueue }),
    finance.workflow.start('webhookDelivery', { workflowId: `webhook/${unique()}`, taskQueue: `another-${taskQueue}` }),
  ]);
  await ensureSchedules({ finance, background: finance }, { queuePrefix });
  await ensureSchedules(clients, { queuePrefix });
  const schedules = ['commission-release', 'digests', 'retention'].map((id) => queuePrefix + id);
  const ended = await until(
    'the background workflows are listed and ended',
    () => endBackgroundWorkflows(clients, queuePrefix),
    (result) => result.ended > 0,
  );
  const statusOf = async (handle: { describe(): Promise<{ status: { name: string } }> }) => (await handle.describe()).status.name;
  expect(ended.ended).toBe(1);
  expect(await Promise.all([left, payout, foreign].map(statusOf))).toEqual(['TERMINATED', 'RUNNING', 'RUNNING']);
  for (const id of schedules) {
    await expect(finance.schedule.getHandle(id).describe()).rejects.toThrow();
    await clients.background.schedule.getHandle(id).delete();
  }
  await Promise.all([payout, foreign].map((handle) => handle.terminate('end of the test')));
});

it('both namespaces have every search attribute', async () => {
  const { clients, connection } = system.temporal;
  for (const client of Object.values(clients)) {
    const { namespace } = client.options;
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));
  }
});
