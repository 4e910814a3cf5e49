import { Webhook } from 'standardwebhooks';
import { generateSigningSecret, signWebhook, verifyWebhook } from '../../../src/platform/crypto/standard-webhooks.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const timestampSeconds = 1_614_265_330;
const body = '{"test": 2432232314}';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signature };
const message = { headers, body, secrets: [secret], nowSeconds: timestampSeconds, toleranceSeconds: 300 };

test('a message is signed as the published example', () => {
  expect(signWebhook({ id, timestampSeconds, body, secrets: [secret] })).toBe(signature);
  expect(signWebhook({ id, timestampSeconds, body: Buffer.from(body), secrets: [secret] })).toBe(signature);
});

test('with two secrets there are two signatures, the current one first', () => {
  const [first, second] = signWebhook({ id, timestampSeconds, body, secrets: [secret, generateSigningSecret()] }).split(' ');
  expect(first).toBe(signature);
  expect(second).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
});

test('nothing is signed without a secret, or with one that is hardly there', () => {
  expect(() => signWebhook({ id, timestampSeconds, body, secrets: [] })).toThrow('needs a secret');
  expect(() => signWebhook({ id, timestampSeconds, body, secrets: ['whsec_'] })).toThrow('16 bytes');
  expect(() => verifyWebhook({ ...message, secrets: ['whsec_'] })).toThrow('16 bytes');
});

test('the library of the scheme accepts what we sign', () => {
  const now = Math.floor(Date.now() / 1_000);
  const drawn = generateSigningSecret();
  const signed = signWebhook({ id, timestampSeconds: now, body, secrets: [drawn] });
  const sent = { 'webhook-id': id, 'webhook-timestamp': String(now), 'webhook-signature': signed };
  expect(new Webhook(drawn).verify(body, sent)).toEqual({ test: 2432232314 });
});

test('a genuine message gives its id, also among other signatures and under the older secret', () => {
  expect(verifyWebhook(message)).toBe(id);
  const many = { ...headers, 'webhook-signature': `v2,x v1,AAAA ${signature}` };
  expect(verifyWebhook({ ...message, headers: many, secrets: [generateSigningSecret(), secret] })).toBe(id);
});

test.each([
  ['another body', { body: '{"test": 2432232315}' }],
  ['another id', { headers: { ...headers, 'webhook-id': 'msg_other' } }],
  ['another timestamp', { headers: { ...headers, 'webhook-timestamp': String(timestampSeconds + 1) } }],
  ['another secret', { secrets: [generateSigningSecret()] }],
  ['no secret', { secrets: [] }],
  ['no signature', { headers: { ...headers, 'webhook-signature': undefined } }],
  ['an empty signature', { headers: { ...headers, 'webhook-signature': '' } }],
  ['a cut signature', { headers: { ...headers, 'webhook-signature': signature.slice(0, -4) } }],
  ['two values of one header', { headers: { ...headers, 'webhook-id': [id, id] } }],
  ['a timestamp in words', { headers: { ...headers, 'webhook-timestamp': 'now' } }],
  ['a time too long ago', { nowSeconds: timestampSeconds + 301 }],
  ['a time too far ahead', { nowSeconds: timestampSeconds - 301 }],
])('%s is refused as unauthorized', (_what, change) => {
  expect(() => verifyWebhook({ ...message, ...change })).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});

test('the tolerance is meant inclusively', () => {
  expect(verifyWebhook({ ...message, nowSeconds: timestampSeconds + 300 })).toBe(id);
  expect(verifyWebhook({ ...message, nowSeconds: timestampSeconds - 300 })).toBe(id);
});

test('drawn secrets hold 32 bytes and read the same in both base64 alphabets', () => {
  for (let round = 0; round < 50; round += 1) {
    const text = generateSigningSecret();
    expect(text).toMatch(/^whsec_[A-Za-z0-9]{43}=$/);
    expect(Buffer.from(text.slice(6), 'base64')).toHaveLength(32);
  }
});
