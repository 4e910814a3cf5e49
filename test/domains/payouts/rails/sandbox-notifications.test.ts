import type { PayoutRail } from '../../../../src/domains/payouts/rails/rail.ts';
import type { NotificationReceiver } from '../../../support/notification-receiver.ts';
import { startNotificationReceiver } from '../../../support/notification-receiver.ts';
import type { Sandbox } from '../../../support/sandbox.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { eventually, orderFor, railOf, sent } from './support.ts';

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

test('every status of a transfer is reported by a notification that the rail verifies', async () => {
  const { order, notifications } = await send('returned');
  await eventually(() => expect(notifications()).toHaveLength(3));
  const read = (
    await Promise.all(notifications().map(({ headers, rawBody }) => rail.verifyNotification(headers, rawBody)))
  ).flat();
  expect(read).toMatchObject([
    { status: 'accepted', idempotencyKey: order.idempotencyKey, failureCode: null },
    { status: 'paid', idempotencyKey: order.idempotencyKey, failureCode: null },
    { status: 'returned', idempotencyKey: order.idempotencyKey, failureCode: 'recipient_unreachable' },
  ]);
  expect(new Set(read.map((notification) => notification.externalId)).size).toBe(3);
  expect(new Set(read.map((notification) => notification.railReference)).size).toBe(1);
});

test('a failure after acceptance includes its code', async () => {
  const { notifications } = await send('fail-later');
  await eventually(() => expect(notifications()).toHaveLength(2));
  const last = notifications()[1];
  expect(last && (await rail.verifyNotification(last.headers, last.rawBody))).toMatchObject([
    { status: 'failed', failureCode: 'account_closed' },
  ]);
});

test('notifications contain no address, and a changed or foreign one is rejected', async () => {
  const { notifications } = await send('ok+very-private');
  await eventually(() => expect(notifications()).toHaveLength(2));
  const [notification] = notifications();
  if (!notification) throw new Error('no notification');
  expect(notification.rawBody.toString()).not.toMatch(/example\.com|very-private/);
  const changed = Buffer.from(notification.rawBody.toString().replace('accepted', 'paid'));
  const foreign = await startSandbox();
  const foreignRail = railOf(foreign);
  const unauthorized = expect.objectContaining({ code: 'UNAUTHORIZED' });
  await expect(rail.verifyNotification(notification.headers, changed)).rejects.toThrow(unauthorized);
  await expect(foreignRail.verifyNotification(notification.headers, notification.rawBody)).rejects.toThrow(unauthorized);
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

test('the scripts notifications-twice, -reversed and -off', async () => {
  const [twice, reversed, off] = [
    await send('notifications-twice'),
    await send('notifications-reversed'),
    await send('notifications-off'),
  ];
  await eventually(() => expect(twice.types()).toHaveLength(4));
  await eventually(() => expect(reversed.types()).toEqual(['transfer.paid', 'transfer.accepted']));
  expect(off.types()).toEqual([]);
  expect(await rail.lookUp(sent(off.order))).toMatchObject({ outcome: 'paid' });
});

test('a definite failure sends no notification, and accepted-only sends only the acceptance', async () => {
  const [refused, silent] = [await send('fail-definite'), await send('accepted-only')];
  expect(await rail.lookUp(sent(silent.order))).toMatchObject({ outcome: 'paid' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(refused.types()).toEqual([]);
  await eventually(() => expect(silent.types()).toEqual(['transfer.accepted']));
});
