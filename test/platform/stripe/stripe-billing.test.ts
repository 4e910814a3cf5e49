import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStripeBilling } from '../../../src/domains/billing/stripe-billing.calls.ts';
import { pause } from '../../support/until.ts';

const TIMEOUT_MS = 1_000;
const INCOMPLETE = { id: 'sub_1', object: 'subscription', status: 'incomplete', items: { data: [] } };

/** A Stripe whose responses take most of the time that a call may take. */
const openSlowStripe = async (): Promise<{ server: Server; apiUrl: string; calls: string[] }> => {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    calls.push(`${request.method} ${request.url?.split('?')[0]}`);
    await pause(0.6 * TIMEOUT_MS, 'two calls take longer than one may');
    const body = request.method === 'GET' ? { object: 'list', data: [INCOMPLETE] } : { ...INCOMPLETE, id: 'sub_2' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
};

it('each call has a deadline of its own: what several take together fails none of them', async () => {
  const { server, apiUrl, calls } = await openSlowStripe();
  const prices = { starter: 'price_1', growth: 'price_2', pro: 'price_3' };
  const billing = createStripeBilling({ secretKey: 'sk_test_1', apiUrl, timeoutMs: TIMEOUT_MS, prices });
  expect(await billing.findCurrent('cus_1')).toMatchObject({ id: 'sub_1', status: 'incomplete' });
  expect(await billing.cancelUnpaid('sub_1')).toBe(true);
  expect(await billing.order({ customerId: 'cus_1', tier: 'pro', orderId: 'o1' })).toMatchObject({ id: 'sub_2' });
  server.close();
  expect(calls).toEqual([
    'GET /v1/subscriptions',
    'GET /v1/subscriptions/sub_1',
    'DELETE /v1/subscriptions/sub_1',
    'POST /v1/subscriptions',
  ]);
});
