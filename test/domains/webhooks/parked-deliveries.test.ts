import { DELIVERY_PRIORITIES } from '../../../src/contracts/webhooks.ts';
import { prepareAttempt } from '../../../src/domains/webhooks/deliveries/prepare-attempt.steps.ts';
import { findOutgoing } from '../../../src/domains/webhooks/deliveries/webhook-deliveries.queries.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/index.ts';
import { unparkDeliveries } from '../../../src/domains/webhooks/use-cases/unpark-deliveries.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { WebhookDelivery } from '../../../src/domains/webhooks/webhook-delivery.entity.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, type RawBuilder, rows, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

/** A disabled endpoint with as many parked deliveries. */
const begin = async (count: number) => {
  const merchant = await bench.merchant();
  const path = `/status/200/t${unique()}`;
  const endpoint = await merchant.endpoint({ url: receiver.url(path) });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(...(await merchant.emit()));
  await disableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
  for (const id of ids) expect(await bench.attempt(id)).toMatchObject({ end: 'parked' });
  return { merchant, path, endpoint, ids };
};

/** Runs the work while another transaction, which commits afterwards, has changed the delivery. */
const whileChanged = async (id: string, change: RawBuilder<unknown>, work: () => Promise<void>): Promise<void> => {
  const changed = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const changing = inTransaction(system(), async ({ em }) => {
    await execute(em, sql`update webhook_delivery set ${change} where id = ${id}::uuid`);
    changed.resolve();
    await mayCommit.promise;
  });
  await changed.promise;
  await work().finally(mayCommit.resolve);
  await changing;
};

test('a parked delivery that a resend delivers while others are resumed leaves none of them parked', async () => {
  const { merchant, endpoint, ids } = await begin(3);
  await enableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
  let resuming: Promise<number> | undefined;
  await whileChanged(ids[0] ?? '', sql`status = 'succeeded'`, async () => {
    resuming = unparkDeliveries(merchant.ctx(), { endpointId: endpoint.id, limit: 2 });
    await untilSomebodyWaits(bench);
  });
  await resuming;
  await bench.drainUntil(async () => (await merchant.delivery(ids[2] ?? '')).status === 'succeeded');
});

test('deleting an endpoint does not wait for what is parked, which is cancelled in batches; a crash between them continues', async () => {
  const { merchant, path, endpoint, ids } = await begin(5);
  await whileChanged(ids[0] ?? '', sql`updated_at = updated_at`, () =>
    deleteWebhookEndpoint(merchant.ctx(), { id: endpoint.id }),
  );
  const batch = () => unparkDeliveries(system(), { endpointId: endpoint.id, limit: 2 });
  expect(await batch()).toBe(2);
  await expect(
    inTransaction(system(), async (ctx) => {
      await unparkDeliveries(ctx, { endpointId: endpoint.id, limit: 2 });
      throw new Error('crashed before the commit');
    }),
  ).rejects.toThrow('crashed');
  expect([await batch(), await batch(), await batch()]).toEqual([2, 1, 0]);
  for (const id of ids) expect(await merchant.delivery(id)).toMatchObject({ status: 'cancelled', nextAttemptAt: null });
  expect(await receiver.received(path)).toHaveLength(0);
});

test('what is resumed comes before what was replayed, as in a lane without a disabled endpoint', async () => {
  const { merchant, endpoint, ids } = await begin(2);
  await execute(system().em, sql`update webhook_delivery set trigger = 'replay', run_suffix = '/p1' where id = ${ids[0]}::uuid`);
  await enableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
  await unparkDeliveries(system(), { endpointId: endpoint.id, limit: 10 });
  const found = await rows(
    system().em,
    sql<{ priority: number; run: string }>`select priority, run_suffix as run from webhook_delivery
      where endpoint_id = ${endpoint.id}::uuid order by id`,
  );
  expect(found).toEqual([
    { priority: DELIVERY_PRIORITIES.replayed, run: '/e1' },
    { priority: DELIVERY_PRIORITIES.resumed, run: '/e1' },
  ]);
});

test('an attempt that is being prepared while its endpoint is deleted is not sent', async () => {
  const { merchant, endpoint, ids } = await begin(0);
  await enableWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
  ids.push(...(await merchant.emit()));
  const step = await inTransaction(system(), async (ctx) => {
    const delivery = await ctx.em.findOneOrFail(WebhookDelivery, { id: ids[0] ?? '' });
    const outgoing = await findOutgoing(ctx, delivery);
    if (!outgoing) throw new Error('the endpoint has a row');
    await deleteWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    return prepareAttempt(ctx, delivery, outgoing, { deliveryId: delivery.id, suffix: '', schedule: STANDARD_SCHEDULE });
  });
  expect(step).toMatchObject({ kind: 'wait' });
  expect(await bench.attempt(ids[0] ?? '')).toEqual({ end: 'cancelled', attempts: 0 });
});
