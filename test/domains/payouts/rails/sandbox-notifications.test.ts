import type { PayoutRail } from '../../../../src/domains/payouts/rails/rail.ts';
import type { NotificationReceiver } from '../../../support/notification-receiver.ts';
import { startNotificationReceiver } from '../../../support/notification-receiver.ts';
import type { Sandbox } from '../../../support/sandbox.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { eventually, orderFor, railOf } from './support.ts';

let receiver: NotificationReceiver;
let sandbox: Sandbox;
let rail: PayoutRail;

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
  return { order, notifications, types: () => arrived().map(({ body }) => body.type) };
};

test('every step of a transfer is told by a notification that our rail accepts', async () => {
  const { order, notifications } = await send('returned');
  await eventually(() => expect(notifications()).toHaveLength(3));
  const read = notifications().map(({ headers, rawBody }) => rail.verifyNotification(headers, rawBody));
  expect(read).toMatchObject([
    { status: 'accepted', idempotencyKey: order.idempotencyKey, failureCode: null },
    { status: 'paid', idempotencyKey: order.idempotencyKey, failureCode: null },
    { status: 'returned', idempotencyKey: order.idempotencyKey, failureCode: 'recipient_unreachable' },
  ]);
  expect(new Set(read.map((notification) => notification?.externalId)).size).toBe(3);
  expect(new Set(read.map((notification) => notification?.railReference)).size).toBe(1);
});

test('a failure after acceptance names its code', async () => {
  const { notifications } = await send('fail-later');
  await eventually(() => expect(notifications()).toHaveLength(2));
  const last = notifications()[1];
  expect(last && rail.verifyNotification(last.headers, last.rawBody)).toMatchObject({
    status: 'failed',
    failureCode: 'account_closed',
  });
});

test('notifications hold no address, and a changed or foreign one is refused', async () => {
  const { notifications } = await send('ok+very-private');
  await eventually(() => expect(notifications()).toHaveLength(2));
  const [notification] = notifications();
  if (!notification) throw new Error('no notification');
  expect(notification.rawBody.toString()).not.toMatch(/example\.com|very-private/);
  const changed = Buffer.from(notification.rawBody.toString().replace('accepted', 'paid'));
  const foreign = await startSandbox();
  const foreignRail = railOf(foreign);
  const unauthorized = expect.objectContaining({ code: 'UNAUTHORIZED' });
  expect(() => rail.verifyNotification(notification.headers, changed)).toThrow(unauthorized);
  expect(() => foreignRail.verifyNotification(notification.headers, notification.rawBody)).toThrow(unauthorized);
  await foreignRail.close();
  await foreign.stop();
});

test('a notification is repeated under its id until it is taken, signed anew each time', async () => {
  receiver.answerWith(500);
  const { notifications } = await send('ok');
  await eventually(() => expect(notifications().length).toBeGreaterThanOrEqual(4));
  receiver.answerWith(200);
  await eventually(() => expect(notifications().length).toBeGreaterThanOrEqual(6));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const heard = notifications().length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(notifications()).toHaveLength(heard);
  expect(new Set(notifications().map(({ body }) => body.id)).size).toBe(2);
  for (const { headers, rawBody } of notifications()) expect(rail.verifyNotification(headers, rawBody)).not.toBeNull();
});

test('twice, reversed and never: the scripts for notifications', async () => {
  const [twice, reversed, off] = [
    await send('notifications-twice'),
    await send('notifications-reversed'),
    await send('notifications-off'),
  ];
  await eventually(() => expect(twice.types()).toHaveLength(4));
  await eventually(() => expect(reversed.types()).toEqual(['transfer.paid', 'transfer.accepted']));
  expect(off.types()).toEqual([]);
  expect(await rail.lookUp(off.order.idempotencyKey)).toMatchObject({ outcome: 'paid' });
});

test('a certain refusal and an accepted-only payment send no news', async () => {
  const [refused, silent] = [await send('fail-definite'), await send('accepted-only')];
  expect(await rail.lookUp(silent.order.idempotencyKey)).toMatchObject({ outcome: 'paid' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(refused.types()).toEqual([]);
  await eventually(() => expect(silent.types()).toEqual(['transfer.accepted']));
});
