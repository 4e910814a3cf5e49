import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { OnlineRail, TransferOrder } from '../../src/domains/payouts/rails/rail.ts';
import { stripeConnectRail } from '../../src/domains/payouts/rails/stripe_connect/stripe-connect.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { orderFor } from '../domains/payouts/rails/support.ts';
import { findGoProgram } from '../support/go-program.ts';
import { sentOf } from '../support/rails/conformance.ts';
import { until } from '../support/until.ts';

/* stripe-mock of Stripe has the OpenAPI document of the first version: it refuses what that does not have, and answers with its examples. */

let rail: OnlineRail;
let stop: () => Promise<void>;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

beforeAll(async () => {
  const program = await findGoProgram({ name: 'stripe-mock', version: '0.203.0', source: 'github.com/stripe/stripe-mock' });
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(program, ['-http-addr', address], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://${address}`;
  rail = stripeConnectRail.open(
    { secretKey: 'sk_test_123' },
    { clock: systemClock, noticeUrl: 'https://example.com/n', providerUrl: url },
  );
  await until(
    'stripe-mock listens',
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    (isUp) => isUp,
  );
  stop = async () => {
    await rail.close();
    child.kill('SIGKILL');
    await once(child, 'close');
  };
}, 900_000);
afterAll(() => stop());

const order = (): TransferOrder => {
  const made = orderFor('any');
  return { ...made, details: { ...made.details, connected: { rail: 'stripe_connect', account: 'acct_1' } } };
};

/** Its example of a transfer is not that of our order, which we can only see by having read all of it. */
const READ = { outcome: 'unknown', needsReview: 'record_mismatch' };

test('a transfer and its look-up are calls of the API, and its transfer is one that we read', async () => {
  expect(await rail.submit(order())).toMatchObject(READ);
  expect(await rail.lookUp(sentOf(order()))).toMatchObject(READ);
});

test('what the API does not have is refused', async () => {
  const { details, ...one } = order();
  const connected = { rail: 'stripe_connect', account: 'acct_1' } as const;
  const odd = { ...one, amountMinor: 1.5, details: { ...details, connected } };
  expect(await rail.submit(odd)).toMatchObject({ outcome: 'failed', response: { http: 400 } });
});

test('a check reads the account, and its webhooks are calls of the API', async () => {
  const check = await rail.check();
  // Its example of an account takes no payments, and its example of a webhook has no secret.
  expect(check?.findings).toEqual([
    { name: 'account_restricted', isWarning: false },
    { name: 'webhook', isWarning: true },
  ]);
  expect(check?.balances).toEqual(expect.any(Object));
});

test('the balance and its movements are read', async () => {
  expect(await rail.balances?.()).toEqual(expect.any(Object));
  const page = await rail.list?.(new Date(0), new Date());
  expect(page?.movements.length).toBeGreaterThan(0);
});

test('an account of the first version is made, and asks its owner', async () => {
  const made = await rail.payees?.create({ key: 'k1', email: 'ada@example.com', country: 'DE' });
  expect(made).toMatchObject({ account: expect.stringMatching(/^acct_/) });
  const { account } = made as { account: string };
  expect(await rail.payees?.look(account)).toMatchObject({ account });
  const urls = { returnUrl: 'https://example.com/a', refreshUrl: 'https://example.com/b' };
  expect(await rail.payees?.onboard(account, urls)).toMatch(/^https:/);
});
