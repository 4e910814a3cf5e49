import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNotificationReceiver } from '../../../support/notification-receiver.ts';
import type { Sandbox, SandboxOptions } from '../../../support/sandbox.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { pause, until } from '../../../support/until.ts';
import { orderFor, railOf, untilOutcome } from './support.ts';

let directory: string;
let store: string;
const open: Sandbox[] = [];

const start = async (options: SandboxOptions = {}) => {
  const sandbox = await startSandbox({ store, ...options });
  open.push(sandbox);
  return { sandbox, rail: railOf(sandbox) };
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
  store = join(directory, 'journal.jsonl');
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.stop()));
  rmSync(directory, { recursive: true });
});

test('transfers survive a kill -9: they are not executed again, and are paid in the end', async () => {
  const before = await start({ settleMs: 60_000 });
  const orders = [orderFor('ok'), orderFor('unknown-paid'), orderFor('fail-definite')] as const;
  await Promise.all(orders.map((order) => before.rail.submit(order)));
  await before.sandbox.kill();
  await before.rail.close();

  const { sandbox, rail } = await start();
  expect(await rail.submit(orders[0])).toMatchObject({ outcome: expect.stringMatching(/accepted|paid/) });
  expect(await rail.submit(orders[2])).toMatchObject({ outcome: 'failed', fault: { code: 'recipient_refused' } });
  expect(await rail.submit({ ...orders[1], amountMinor: 1 })).toMatchObject({ problem: 'key_reused' });
  for (const order of orders.slice(0, 2)) await untilOutcome(rail, order, 'paid');
  expect((await sandbox.transfers()).map(({ executedCount }) => executedCount).sort()).toEqual([0, 1, 1]);
  await rail.close();
});

test('a torn last line is discarded and the journal stays readable', async () => {
  const before = await start();
  const order = orderFor('ok');
  await before.rail.submit(order);
  await before.sandbox.kill();
  appendFileSync(store, '{"kind":"transfer","transfer":{"id":"trf_to');

  const between = await start();
  await between.rail.submit(orderFor('ok'));
  await between.sandbox.kill();
  const { sandbox, rail } = await start();
  expect(await sandbox.transfers()).toHaveLength(2);
  expect(await untilOutcome(rail, order, 'paid')).toMatchObject({ outcome: 'paid' });
  await Promise.all([before, between, { rail }].map((each) => each.rail.close()));
});

test('the journal contains no address', async () => {
  const { sandbox, rail } = await start();
  await rail.submit(orderFor('returned+very-private'));
  await sandbox.stop();
  expect(readFileSync(store, 'utf8')).toContain('"script":"returned"');
  expect(readFileSync(store, 'utf8')).not.toMatch(/example\.com|very-private/);
  await rail.close();
});

test('notifications that were not acknowledged before a kill are sent after it, under the same ids', async () => {
  const receiver = await startNotificationReceiver();
  receiver.answerWith(503);
  const before = await start({ notificationUrl: receiver.url });
  await before.rail.submit(orderFor('ok'));
  const idsOf = () => new Set(receiver.received.map(({ body }) => body.id));
  await until('both notifications have arrived', idsOf, ({ size }) => size === 2);
  await before.sandbox.kill();
  const ids = idsOf();
  receiver.received.length = 0;
  receiver.answerWith(204);

  const after = await start({ notificationUrl: receiver.url, notificationSecret: before.sandbox.notificationSecret });
  expect(await until('both notifications have arrived again', idsOf, ({ size }) => size === 2)).toEqual(ids);
  const read = await Promise.all(receiver.received.map(({ headers, rawBody }) => after.rail.readNotice(headers, rawBody)));
  expect(read.flat()).toMatchObject([{ status: expect.any(String) }, { status: expect.any(String) }]);
  expect(JSON.stringify(read)).toMatch(/"accepted".*"paid"|"paid".*"accepted"/);
  await Promise.all([before.rail.close(), after.rail.close()]);
  await receiver.close();
});

test('a key repeated after the repeat window is executed again, which is why orders are resent only within it', async () => {
  const { sandbox, rail } = await start({ repeatWindowMs: 50 });
  const order = orderFor('ok');
  await rail.submit(order);
  await pause(100, 'the repeat window ends');
  await rail.submit(order);
  expect(await sandbox.transfers()).toMatchObject([{ executedCount: 2 }]);
  await rail.close();
});
