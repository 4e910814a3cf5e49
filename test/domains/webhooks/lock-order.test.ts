import { deleteWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/delete-webhook-endpoint.ts';
import { disableWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/disable-webhook-endpoint.ts';
import { enableWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/enable-webhook-endpoint.ts';
import { releaseParkedDeliveries } from '../../../src/domains/webhooks/use-cases/release-parked-deliveries.ts';
import { resendWebhookDelivery } from '../../../src/domains/webhooks/use-cases/resend-webhook-delivery.ts';
import { getWebhookEndpoint } from '../../../src/domains/webhooks/webhook-endpoints.queries.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();
const HOUR = 3_600_000;

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

const begin = async (behaviour: string) => {
  const merchant = await bench.merchant();
  const endpoint = await merchant.endpoint({ url: receiver.url(`/${behaviour}/t${unique()}`) });
  const [id = ''] = await merchant.emit();
  return { merchant, endpoint, id };
};

/** As a lane does: holds the endpoint and, once the attempt waits for it, changes the delivery. */
const besideLane = async (endpointId: string, id: string, attempt: () => Promise<unknown>): Promise<unknown> => {
  const attempting = await inTransaction(system(), async ({ em }) => {
    await execute(em, sql`select 1 from webhook_endpoint where id = ${endpointId}::uuid for update`);
    const running = { end: attempt() };
    await untilSomebodyWaits(bench);
    await execute(em, sql`update webhook_delivery set updated_at = updated_at where id = ${id}::uuid`);
    return running;
  });
  return attempting.end;
};

test('a resend that is answered with 410 and the resumption of the same delivery wait for each other in turn', async () => {
  const { merchant, endpoint, id } = await begin('status/410');
  await disableWebhookEndpoint(merchant.ctx(), endpoint);
  expect(await bench.attempt(id)).toMatchObject({ end: 'parked' });
  await enableWebhookEndpoint(merchant.ctx(), endpoint);
  await resendWebhookDelivery(merchant.ctx(), { id });
  expect(await besideLane(endpoint.id, id, () => bench.attempt(id, '/m1'))).toEqual({ end: 'failed', attempts: 1 });
  expect(await getWebhookEndpoint(merchant.ctx(), endpoint.id)).toMatchObject({ status: 'disabled' });
});

test.each([
  ['fails for a day', 'status/500', 0, { waitMs: 5_000 }],
  ['succeeds after a warning', 'status/200', 1, { end: 'succeeded', attempts: 1 }],
])(
  'a retry that %s and a lane that closes the same delivery wait for each other in turn',
  async (_name, behaviour, warnings, outcome) => {
    const { endpoint, id } = await begin(behaviour);
    await execute(system().em, sql`update webhook_endpoint set failing_warnings = ${warnings} where id = ${endpoint.id}::uuid`);
    bench.clock.advance(25 * HOUR);
    expect(await besideLane(endpoint.id, id, () => bench.attempt(id))).toEqual(outcome);
  },
);

test.each([
  ['enabled', enableWebhookEndpoint, { end: 'succeeded', attempts: 1 }],
  ['deleted', deleteWebhookEndpoint, { end: 'cancelled', attempts: 0 }],
])('an attempt that is due while its disabled endpoint is being %s waits for the outcome', async (_name, change, outcome) => {
  const { merchant, endpoint, id } = await begin('status/200');
  await disableWebhookEndpoint(merchant.ctx(), endpoint);
  await inTransaction(merchant.ctx(), async (ctx) => {
    await change(ctx, { id: endpoint.id });
    expect(await bench.attempt(id)).toEqual({ waitMs: 1_000 });
  });
  expect(await bench.attempt(id)).toEqual(outcome);
  await releaseParkedDeliveries(system(), { endpointId: endpoint.id, limit: 10 });
});
