import { inTransaction } from '../../src/platform/context.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import type { Dispatch } from '../../src/temporal/relay/dispatch.ts';
import { routeOf } from '../../src/temporal/relay/routing.ts';
import { useOwnApi } from '../support/api.ts';
import { useOutbox } from './support.ts';

const api = useOwnApi();
const { context, payload, enqueueOne, waiting, relayTo } = useOutbox(api);

it('relays each waiting row and removes it', async () => {
  const subjects = [await enqueueOne(), await enqueueOne(), await enqueueOne()];
  const dispatched: string[] = [];
  expect(await relayTo(async (start) => void dispatched.push(start.workflowId)).round()).toBe(3);
  expect(dispatched.sort()).toEqual(subjects.sort());
  expect(await waiting()).toEqual([]);
});

it('keeps a row that cannot be dispatched with its error, and relays the others', async () => {
  const poisoned = await enqueueOne();
  const other = await enqueueOne();
  const dispatched: string[] = [];
  const dispatch: Dispatch = async (start) => {
    if (start.workflowId === poisoned) throw new Error('no such workflow');
    dispatched.push(start.workflowId);
  };
  expect(await relayTo(dispatch).round()).toBe(1);
  expect(dispatched).toEqual([other]);
  expect(await waiting()).toMatchObject([
    { subject: poisoned, attempts: 1, failures: 1, error: 'Error: no such workflow', held: false },
  ]);
  expect(await relayTo(dispatch).round()).toBe(0);
});

it('releases rows that were not dispatched when it stops', async () => {
  for (let n = 0; n < 40; n++) await enqueueOne();
  const dispatched: string[] = [];
  const relay = relayTo(async (start) => {
    dispatched.push(start.workflowId);
    relay.stop();
  });
  await relay.round();
  const left = await waiting();
  expect(dispatched.length + left.length).toBe(40);
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((row) => row.held)).toEqual([]);
});

it('relays a row again that is enqueued during its dispatch, with its new payload and never at the same time', async () => {
  const subject = await enqueueOne();
  const newer = { ...payload, endpointId: api.runtime.ids.next() };
  const dispatched: unknown[] = [];
  const meanwhile: number[] = [];
  const relay = relayTo(async ({ args: [input] }) => {
    dispatched.push(input);
    if (dispatched.length > 1) return;
    await enqueueOne({ subjectId: subject, payload: newer });
    meanwhile.push(await other.round());
  });
  const other = relayTo(async ({ args: [input] }) => void dispatched.push(input));
  await relay.round();
  expect(meanwhile).toEqual([0]);
  expect(await waiting()).toMatchObject([{ subject, held: false }]);
  await relay.round();
  expect(dispatched).toEqual([payload, newer]);
  expect(await waiting()).toEqual([]);
});

it('a waiting row is dispatched with the payload that was enqueued last', async () => {
  const subject = await enqueueOne();
  const newer = { ...payload, endpointId: api.runtime.ids.next() };
  await enqueueOne({ subjectId: subject, payload: newer });
  const dispatched: unknown[] = [];
  await relayTo(async ({ args: [input] }) => void dispatched.push(input)).round();
  expect(dispatched).toEqual([newer]);
});

it('enqueueing an equal waiting row changes nothing', async () => {
  const subject = await enqueueOne();
  await enqueueOne({ subjectId: subject });
  expect(await waiting()).toHaveLength(1);
});

it('a transaction that rolls back enqueues nothing', async () => {
  await expect(
    inTransaction(context(), async (ctx) => {
      await enqueue(ctx, { topic: 'webhook.deliver', subjectId: ctx.ids.next(), suffix: '', payload });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await waiting()).toEqual([]);
});

it('routes every topic, and rejects one that it does not know', () => {
  const message = { seq: '1', topic: 'webhook.deliver', subjectId: 'd1', suffix: '/m1', payload } as const;
  expect(routeOf(message)).toMatchObject({
    workflowType: 'webhookDelivery',
    workflowId: 'webhook/d1/m1',
    args: [{ deliveryId: 'd1', suffix: '/m1' }],
    reusePolicy: 'REJECT_DUPLICATE',
    fairnessKey: payload.merchantId,
  });
  expect(() => routeOf({ ...message, topic: 'unknown' as 'webhook.deliver' })).toThrow('No route for outbox topic unknown');
});
