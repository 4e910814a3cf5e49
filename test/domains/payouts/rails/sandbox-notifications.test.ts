import type { OnlineRail, RailNotification } from '../../../../src/domains/payouts/rails/rail.ts';
import type { NotificationReceiver } from '../../../support/notification-receiver.ts';
import { startNotificationReceiver } from '../../../support/notification-receiver.ts';
import type { Sandbox } from '../../../support/sandbox.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { pause, until } from '../../../support/until.ts';
import { orderFor, railOf, sent } from './support.ts';

let receiver: NotificationReceiver;
let sandbox: Sandbox;
let rail: OnlineRail;

beforeAll(async () => {
  receiver = await startNotificationReceiver();
  sandbox = await startSandbox({ notificationUrl: receiver.url });
  rail = railOf(sandbox);
});

afterAll(async () => {
  await rail.close();
  await sandbox.stop();
  await receiver.close();
});

const send = async (local: string) => {
  const order = orderFor(local);
  await rail.submit(order);
  const arrived = () => receiver.received.filter(({ body }) => body.transfer['reference'] === order.reference);
  // In order of what happened: under load two notifications overtake each other on the way.
  const notifications = () => arrived().sort((a, b) => a.body.occurredAt.localeCompare(b.body.occurredAt));
  const come = (count: number) => until(`${count} notifications have come`, notifications, ({ length }) => length >= count);
  return { order, notifications, come, types: () => arrived().map(({ body }) => body.type) };
};

test('every status of a transfer is reported by a notification that the rail verifies', async () => {
  const { order, come } = await send('returned');
  const all = await come(3);
  const read = (
    await Promise.all(all.map(({ headers, rawBody }) => rail.readNotice(headers, rawBody)))
  ).flat() as RailNotification[];
  expect(read).toMatchObject([
    { status: 'accepted', idempotencyKey: order.idempotencyKey, failureCode: null },
    { status: 'paid', idempotencyKey: order.idempotencyKey, failureCode: null },
    { status: 'returned', idempotencyKey: order.idempotencyKey, failureCode: 'recipient_unreachable' },
  ]);
  expect(new Set(read.map((notification) => notification.externalId)).size).toBe(3);
  expect(new Set(read.map((notification) => notification.railReference)).size).toBe(1);
});

test('a failure after acceptance includes its code', async () => {
  const { come } = await send('fail-later');
  const [, last] = await come(2);
  expect(last && (await rail.readNotice(last.headers, last.rawBody))).toMatchObject([
    { status: 'failed', failureCode: 'account_closed' },
  ]);
});

test('notifications contain no address, and a changed or foreign one is rejected', async () => {
  const { come } = await send('ok+very-private');
  const [notification] = await come(2);
  if (!notification) throw new Error('no notification');
  expect(notification.rawBody.toString()).not.toMatch(/example\.com|very-private/);
  const changed = Buffer.from(notification.rawBody.toString().replace('accepted', 'paid'));
  const foreign = await startSandbox();
  const foreignRail = railOf(foreign);
  const rejected = { unread: 'rejected', why: 'webhook-signature is not valid' };
  expect(await rail.readNotice(notification.headers, changed)).toEqual(rejected);
  expect(await foreignRail.readNotice(notification.headers, notification.rawBody)).toEqual(rejected);
  await foreignRail.close();
  await foreign.stop();
});

test('a notification is repeated under its id until it is taken, signed anew each time', async () => {
  receiver.answerWith(500);
  const { order, notifications, come } = await send('ok');
  await come(4);
  receiver.answerWith(200);
  const refused = new Set(receiver.received);
  const taken = () =>
    receiver.received.filter((each) => !refused.has(each) && each.body.transfer['reference'] === order.reference);
  await until('both are taken', () => new Set(taken().map(({ body }) => body.id)).size === 2);
  await pause(500, 'a repeat would come');
  expect(taken()).toHaveLength(2);
  expect(new Set(notifications().map(({ body }) => body.id)).size).toBe(2);
  for (const { headers, rawBody } of notifications()) expect(await rail.readNotice(headers, rawBody)).toHaveLength(1);
});

test('the scripts notifications-twice, -reversed and -off', async () => {
  const [twice, reversed, off] = [
    await send('notifications-twice'),
    await send('notifications-reversed'),
    await send('notifications-off'),
  ];
  expect(await twice.come(4)).toHaveLength(4);
  await reversed.come(2);
  expect(reversed.types()).toEqual(['transfer.paid', 'transfer.accepted']);
  expect(off.types()).toEqual([]);
  expect(await rail.lookUp(sent(off.order))).toMatchObject({ outcome: 'paid' });
});

test('a definite failure sends no notification, and accepted-only sends only the acceptance', async () => {
  const [refused, silent] = [await send('fail-definite'), await send('accepted-only')];
  expect(await rail.lookUp(sent(silent.order))).toMatchObject({ outcome: 'paid' });
  await silent.come(1);
  await pause(200, 'a notification of the failure or of the payment would come');
  expect([refused.types(), silent.types()]).toEqual([[], ['transfer.accepted']]);
});
