import { verifySandboxNotice } from '../../../src/domains/payouts/rails/sandbox-notice.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { drawSigningSecret, signWebhook } from '../../../src/platform/crypto/standard-webhooks.ts';
import { signedNotice } from '../../support/notice-receiver.ts';

const secret = drawSigningSecret();
const now = new Date('2026-06-01T12:00:00.000Z');
const facts = {
  secret,
  now,
  id: 'ntc_1',
  type: 'transfer.paid',
  idempotencyKey: 'payout/1',
  transferId: 'trf_1',
  occurredAt: now,
};
const read = (notice: { headers: Record<string, string>; body: string }, at = now) =>
  verifySandboxNotice({ headers: notice.headers, rawBody: Buffer.from(notice.body), secret, now: at });
const signedBody = (body: string) => {
  const timestampSeconds = now.getTime() / 1_000;
  const signature = signWebhook({ id: 'ntc_1', timestampSeconds, body, secrets: [secret] });
  return {
    headers: { 'webhook-id': 'ntc_1', 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signature },
    body,
  };
};

test('a genuine notice is read', () => {
  expect(read(signedNotice({ ...facts, type: 'transfer.failed', failureCode: 'account_closed' }))).toEqual({
    externalId: 'ntc_1',
    idempotencyKey: 'payout/1',
    fact: 'failed',
    railReference: 'trf_1',
    failureCode: 'account_closed',
    occurredAt: now,
  });
});

test('news of three days ago is taken, when it was sent now', () => {
  const occurredAt = new Date(now.getTime() - 3 * DAY_MS);
  expect(read(signedNotice({ ...facts, occurredAt }))).toMatchObject({ fact: 'paid', occurredAt });
});

test('a notice that was sent three days ago is refused', () => {
  const sent = new Date(now.getTime() - 3 * DAY_MS);
  expect(() => read(signedNotice({ ...facts, now: sent }))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});

test('forged notices are refused: no secret, another secret, another body', () => {
  const genuine = signedNotice(facts);
  const changed = { ...genuine, body: genuine.body.replace('paid', 'failed') };
  for (const forged of [{ headers: {}, body: genuine.body }, signedNotice({ ...facts, secret: drawSigningSecret() }), changed]) {
    expect(() => read(forged)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  }
});

test('a signed body that is not a notice is a bad request', () => {
  const otherId = signedNotice(facts).body.replace('ntc_1', 'ntc_2');
  for (const body of ['', 'null', '{', '[]', '{"id":"ntc_1"}', otherId]) {
    expect(() => read(signedBody(body))).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  }
});

test('a notice of a kind we do not know is genuine and means nothing', () => {
  expect(read(signedNotice({ ...facts, type: 'transfer.held' }))).toBeNull();
});

test('codes nobody has seen are kept; sentences, which may name the payee, are not', () => {
  expect(read(signedNotice({ ...facts, failureCode: 'ZZ-99.new' }))?.failureCode).toBe('ZZ-99.new');
  expect(read(signedNotice({ ...facts, failureCode: 'ana@example.com is closed' }))?.failureCode).toBe('unreadable_code');
});
