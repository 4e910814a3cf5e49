import { changeLaneCount } from '../../src/domains/webhooks/index.ts';
import { laneOf, slotOf } from '../../src/domains/webhooks/lanes/slots.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { makeMerchant, makeProgram, unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({ reconcile: { everyMs: 200, graceMs: 100 } });

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const laneWorkflow = (lane: number) =>
  system.temporal.clients.background.workflow.getHandle(`${system.runtime.config.TEMPORAL_QUEUE_PREFIX}webhook-lane/${lane}`);
const runOf = (lane: number) =>
  laneWorkflow(lane)
    .describe()
    .then(({ status, runId }) => ({ status: status.name as string, runId }))
    .catch(() => ({ status: 'MISSING', runId: '' }));

/** An endpoint that receives `program.created`, and the lane that it belongs to. */
const makeEndpoint = async (behaviour: string) => {
  const { key } = await makeMerchant(system.runtime);
  const path = `/${behaviour}/${unique()}`;
  const body = { name: 'test', url: receiver.url(path), subscribedEvents: ['program.created'] };
  const { data } = await system.call('POST', '/webhooks', { key, body });
  const id = data.endpoint.id as string;
  return { key, path, id, lane: laneOf(slotOf(id), 8) };
};

const deliveriesTo = (endpointId: string) =>
  rows(
    system.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ id: string; status: string; attempts: number }>`select id, status, attempts from webhook_delivery
      where endpoint_id = ${endpointId}::uuid order by id`,
  );

it('a first attempt that succeeds starts no workflow; one that fails continues in a workflow of the delivery', async () => {
  const good = await makeEndpoint('status/200');
  await makeProgram(system, good.key);
  await receiver.waitFor(good.path, 1);
  const [delivered] = await until(
    'the delivery has succeeded',
    () => deliveriesTo(good.id),
    ([found]) => found?.status === 'succeeded',
  );
  await expect(system.temporal.clients.background.workflow.getHandle(`webhook/${delivered?.id}`).describe()).rejects.toThrow(
    'not found',
  );

  const bad = await makeEndpoint('sequence/500,200');
  await makeProgram(system, bad.key);
  const [failed] = await until(
    'the delivery has succeeded',
    () => deliveriesTo(bad.id),
    ([found]) => found?.status === 'succeeded',
  );
  expect(failed).toMatchObject({ attempts: 2 });
  const handle = system.temporal.clients.background.workflow.getHandle(`webhook/${failed?.id}`);
  expect(await handle.result()).toMatchObject({ end: 'succeeded', attempts: 2 });
  expect(await receiver.received(bad.path)).toHaveLength(2);
});

it('a delivery that succeeded is sent again by request, in a workflow of its own', async () => {
  const { key, path, id } = await makeEndpoint('status/200');
  await makeProgram(system, key);
  const [delivery] = await until(
    'the delivery has succeeded',
    () => deliveriesTo(id),
    ([found]) => found?.status === 'succeeded',
  );
  const resend = `/webhook-deliveries/${delivery?.id}/resend`;
  expect(await system.call('POST', resend, { key })).toMatchObject({ status: 200 });
  expect(await receiver.waitFor(path, 2)).toHaveLength(2);
  const handle = system.temporal.clients.background.workflow.getHandle(`webhook/${delivery?.id}/m1`);
  expect(await handle.result()).toMatchObject({ end: 'succeeded', attempts: 2 });
});

it('a lane that is terminated starts again, and a requested cancellation has no effect', async () => {
  const { key, path, lane } = await makeEndpoint('status/200');
  const first = await until(
    'the lane is running',
    () => runOf(lane),
    ({ status }) => status === 'RUNNING',
  );
  await laneWorkflow(lane).cancel();
  await makeProgram(system, key);
  await receiver.waitFor(path, 1);
  expect(await runOf(lane)).toEqual(first);
  await recordHistory(laneWorkflow(lane), 'webhookLane', 'cancellation-requested');

  await laneWorkflow(lane).terminate('by an operator');
  await until(
    'another run of the lane has started',
    () => runOf(lane),
    ({ status, runId }) => status === 'RUNNING' && runId !== first.runId,
  );
  await makeProgram(system, key);
  expect(await receiver.waitFor(path, 2)).toHaveLength(2);
});

it('with fewer lanes, the others end and their slots are served; with more, they start again', async () => {
  const change = (lanes: number) => changeLaneCount(system.runtime.context({ kind: 'system', name: 'test' }), { lanes });
  const statuses = () => Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(async (lane) => (await runOf(lane)).status));
  const becomes = (running: number) =>
    until(`${running} lanes are running`, statuses, (found) =>
      found.every((status, lane) => status === (lane < running ? 'RUNNING' : 'COMPLETED')),
    );
  const { key, path } = await makeEndpoint('status/200');
  await becomes(8);
  await change(3);
  await makeProgram(system, key);
  await receiver.waitFor(path, 1);
  await becomes(3);
  await recordHistory(laneWorkflow(7), 'webhookLane', 'surplus');
  await change(8);
  await makeProgram(system, key);
  await receiver.waitFor(path, 2);
  await becomes(8);
  expect(await receiver.received(path)).toHaveLength(2);
});

it('the history of a lane holds nothing about deliveries', async () => {
  const { key, path, lane, id } = await makeEndpoint('status/200');
  await makeProgram(system, key, { name: 'Very private program' });
  await receiver.waitFor(path, 1);
  const history = JSON.stringify(await laneWorkflow(lane).fetchHistory());
  for (const text of [id, 'private', path]) {
    expect(history).not.toContain(text);
    expect(history).not.toContain(Buffer.from(text).toString('base64').slice(0, -4));
  }
});
