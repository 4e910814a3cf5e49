import { readSandboxNotification } from '../../../src/domains/payouts/rails/sandbox-notification.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { generateSigningSecret, signWebhook } from '../../../src/platform/crypto/standard-webhooks.ts';
import { signedNotification } from '../../support/notification-receiver.ts';

const secret = generateSigningSecret();
const now = new Date('2026-06-01T12:00:00.000Z');
const fields = {
  secret,
  now,
  id: 'ntc_1',
  type: 'transfer.paid',
  idempotencyKey: 'payout/1',
  transferId: 'trf_1',
  occurredAt: now,
};
const read = (notification: { headers: Record<string, string>; body: string }, at = now) =>
  readSandboxNotification({ headers: notification.headers, rawBody: Buffer.from(notification.body), secret, now: at });
const signedBody = (body: string) => {
  const timestampSeconds = now.getTime() / 1_000;
  const signature = signWebhook({ id: 'ntc_1', timestampSeconds, body, secrets: [secret] });
  return {
    headers: { 'webhook-id': 'ntc_1', 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signature },
    body,
  };
};

test('a signed notification is read', () => {
  expect(read(signedNotification({ ...fields, type: 'transfer.failed', failureCode: 'account_closed' }))).toEqual([
    {
      externalId: 'ntc_1',
      idempotencyKey: 'payout/1',
      status: 'failed',
      railReference: 'trf_1',
      record: null,
      failureCode: 'account_closed',
      occurredAt: now,
    },
  ]);
});

test('an event of three days ago is accepted when the notification was signed now', () => {
  const occurredAt = new Date(now.getTime() - 3 * DAY_MS);
  expect(read(signedNotification({ ...fields, occurredAt }))).toMatchObject([{ status: 'paid', occurredAt }]);
});

test('a notification that was signed three days ago is rejected', () => {
  const sent = new Date(now.getTime() - 3 * DAY_MS);
  expect(read(signedNotification({ ...fields, now: sent }))).toMatchObject({
    unread: 'rejected',
    why: expect.stringContaining('tolerance'),
  });
});

test('forged notifications are rejected: no signature, another secret, another body', () => {
  const genuine = signedNotification(fields);
  const changed = { ...genuine, body: genuine.body.replace('paid', 'failed') };
  for (const forged of [
    { headers: {}, body: genuine.body },
    signedNotification({ ...fields, secret: generateSigningSecret() }),
    changed,
  ]) {
    expect(read(forged)).toMatchObject({ unread: 'rejected' });
  }
});

test('a signed body that is not a notification is unreadable', () => {
  const otherId = signedNotification(fields).body.replace('ntc_1', 'ntc_2');
  for (const body of ['', 'null', '{', '[]', '{"id":"ntc_1"}', otherId]) {
    expect(read(signedBody(body))).toEqual({ unread: 'unreadable', why: 'The notification is malformed' });
  }
});

test('a notification of an unknown type is verified and empty', () => {
  expect(read(signedNotification({ ...fields, type: 'transfer.held' }))).toEqual([]);
});

test('unknown codes are kept; free text, which may name the payee, is not', () => {
  expect(read(signedNotification({ ...fields, failureCode: 'ZZ-99.new' }))).toMatchObject([{ failureCode: 'ZZ-99.new' }]);
  expect(read(signedNotification({ ...fields, failureCode: 'ana@example.com is closed' }))).toMatchObject([
    { failureCode: 'unreadable_code' },
  ]);
});

test('BR1: optional members that are blank are as if left out', () => {
  const { body } = signedNotification({ ...fields, type: 'transfer.failed' });
  const event = JSON.parse(body);
  const blank = { reference: '', amount: null, currency: ' ', failureCode: '', fee: null, feeReturned: '' };
  const notification = signedBody(JSON.stringify({ ...event, transfer: { ...event.transfer, ...blank } }));
  expect(read(notification)).toMatchObject([{ status: 'failed', record: null, failureCode: null }]);
});

test('NS1: a failure whose code is a long text stays a failure', () => {
  expect(read(signedNotification({ ...fields, type: 'transfer.failed', failureCode: 'x'.repeat(50_000) }))).toMatchObject([
    { status: 'failed', failureCode: 'unreadable_code' },
  ]);
});
