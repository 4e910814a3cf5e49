import { getWebhookEndpoint } from '../../../src/domains/webhooks/endpoints/webhook-endpoints.queries.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import { recordLaneAttempts } from '../../../src/domains/webhooks/use-cases/record-lane-attempts.ts';
import { takeOverLane } from '../../../src/domains/webhooks/use-cases/take-over-lane.ts';
import { disableWebhookEndpoint, enableWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { unique } from '../../support/factories.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { laneOfEndpoint, useWebhookBench, waitingInLane } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const begin = async (behaviour: string) => {
  const merchant = await bench.merchant();
  const path = `/${behaviour}/t${unique()}`;
  return { merchant, path, endpoint: await merchant.endpoint({ url: receiver.url(path) }) };
};

test.each([
  ['200', 'succeeded'],
  ['500', 'parked'],
])('an outcome %s that comes after the endpoint was disabled is recorded: the delivery is %s', async (status, expected) => {
  const { merchant, endpoint, path } = await begin(`slow/500/${status}`);
  const [id = ''] = await merchant.emit();
  let isDisabled = false;
  await bench.drainUntil(async () => {
    if (!isDisabled && (await receiver.received(path)).length > 0) {
      await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
      isDisabled = true;
    }
    return (await merchant.delivery(id)).attempts[0]?.finishedAt != null;
  });
  expect(await merchant.delivery(id)).toMatchObject({ status: expected, attemptCount: 1 });
  await enableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
  await bench.drainUntil(async () => {
    const delivery = await merchant.delivery(id);
    return delivery.status === 'succeeded' || delivery.attempts.length === 2;
  });
});

test('a process that dies after a 410 and before it is recorded loses nothing: the delivery is sent again', async () => {
  const { merchant, endpoint, path } = await begin('status/410');
  const [id = ''] = await merchant.emit();
  const system = () => bench.runtime.context({ kind: 'system', name: 'test' });
  const lane = laneOfEndpoint(endpoint.id);
  const { epoch } = await takeOverLane(system(), { lane });
  const start = await waitingInLane(system(), lane, [id]);
  await recordLaneAttempts(system(), { lane, epoch, finished: [], start, schedule: STANDARD_SCHEDULE });
  await bench.drainUntil(async () => (await merchant.delivery(id)).status === 'parked');
  expect(await receiver.received(path)).toHaveLength(1);
  expect((await merchant.delivery(id)).attempts).toMatchObject([{ outcome: 'unknown' }, { errorCode: 'gone' }]);
  expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'disabled' });
});

test('TE9: an idle lane waits for its first delivery, and then sends for as long as a busy one', async () => {
  const { merchant, endpoint, path } = await begin('status/200');
  const lane = laneOfEndpoint(endpoint.id);
  const options = { isIdle: true, stopping: new AbortController().signal, onProgress: () => {} };
  expect(await bench.drainer({ runMs: 10, idleMs: 200 }).drain(lane, options)).toEqual({ succeeded: 0, failed: 0 });

  const waiting = bench.drainer({ runMs: 500, idleMs: 600_000 }).drain(lane, options);
  await merchant.emit();
  await receiver.waitFor(path, 1);
  await merchant.emit();
  expect(await waiting).toEqual({ succeeded: 2, failed: 0 });
});
