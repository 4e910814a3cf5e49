import type { PayoutRail } from '../../../../src/domains/payouts/rails/rail.ts';
import type { NoticeReceiver } from '../../../support/notice-receiver.ts';
import { startNoticeReceiver } from '../../../support/notice-receiver.ts';
import type { Sandbox } from '../../../support/sandbox.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { eventually, orderFor, railOf } from './support.ts';

let receiver: NoticeReceiver;
let sandbox: Sandbox;
let rail: PayoutRail;

beforeAll(async () => {
  receiver = await startNoticeReceiver();
  sandbox = await startSandbox({ noticeUrl: receiver.url });
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
  // In order of what happened: under load two notices overtake each other on the way.
  const notices = () => arrived().sort((a, b) => a.body.occurredAt.localeCompare(b.body.occurredAt));
  return { order, notices, types: () => arrived().map(({ body }) => body.type) };
};

test('every step of a transfer is told by a notice that our rail accepts', async () => {
  const { order, notices } = await send('returned');
  await eventually(() => expect(notices()).toHaveLength(3));
  const read = notices().map(({ headers, rawBody }) => rail.verifyNotice(headers, rawBody));
  expect(read).toMatchObject([
    { fact: 'accepted', idempotencyKey: order.idempotencyKey, failureCode: null },
    { fact: 'paid', idempotencyKey: order.idempotencyKey, failureCode: null },
    { fact: 'returned', idempotencyKey: order.idempotencyKey, failureCode: 'recipient_unreachable' },
  ]);
  expect(new Set(read.map((notice) => notice?.externalId)).size).toBe(3);
  expect(new Set(read.map((notice) => notice?.railReference)).size).toBe(1);
});

test('a failure after acceptance names its code', async () => {
  const { notices } = await send('fail-later');
  await eventually(() => expect(notices()).toHaveLength(2));
  const last = notices()[1];
  expect(last && rail.verifyNotice(last.headers, last.rawBody)).toMatchObject({ fact: 'failed', failureCode: 'account_closed' });
});

test('notices hold no address, and a changed or foreign one is refused', async () => {
  const { notices } = await send('ok+very-private');
  await eventually(() => expect(notices()).toHaveLength(2));
  const [notice] = notices();
  if (!notice) throw new Error('no notice');
  expect(notice.rawBody.toString()).not.toMatch(/example\.com|very-private/);
  const changed = Buffer.from(notice.rawBody.toString().replace('accepted', 'paid'));
  const foreign = await startSandbox();
  const foreignRail = railOf(foreign);
  const unauthorized = expect.objectContaining({ code: 'UNAUTHORIZED' });
  expect(() => rail.verifyNotice(notice.headers, changed)).toThrow(unauthorized);
  expect(() => foreignRail.verifyNotice(notice.headers, notice.rawBody)).toThrow(unauthorized);
  await foreignRail.close();
  await foreign.stop();
});

test('a notice is repeated under its id until it is taken, signed anew each time', async () => {
  receiver.answerWith(500);
  const { notices } = await send('ok');
  await eventually(() => expect(notices().length).toBeGreaterThanOrEqual(4));
  receiver.answerWith(200);
  await eventually(() => expect(notices().length).toBeGreaterThanOrEqual(6));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const heard = notices().length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(notices()).toHaveLength(heard);
  expect(new Set(notices().map(({ body }) => body.id)).size).toBe(2);
  for (const { headers, rawBody } of notices()) expect(rail.verifyNotice(headers, rawBody)).not.toBeNull();
});

test('twice, reversed and never: the scripts for notices', async () => {
  const [twice, reversed, off] = [await send('notices-twice'), await send('notices-reversed'), await send('notices-off')];
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
