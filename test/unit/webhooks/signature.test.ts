import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { deliveryHeaders } from '../../../src/domains/webhooks/deliveries/signature.steps.ts';
import { generateSigningSecret } from '../../../src/platform/crypto/standard-webhooks.ts';

const FIRST = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SECOND = 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';
const VECTOR = { eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000) };

describe('published vectors', () => {
  test.each([
    [FIRST, '{"test": 2432232314}', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    [SECOND, '{"test": 2432232314}', 'v1,YO/ulmd+VFtlnbodv7yLOOsS6RlBZ48h++gXZrGOpZo='],
    [FIRST, '{"type":"invoice.paid","data":{"name":"Zoë — €5 😀"}}', 'v1,WU1ihUWeo4zvl3o706nreiIvCFO+9mxPazfcNsRpi94='],
  ])('%s signs %s', (secret, body, signature) => {
    const headers = deliveryHeaders({ ...VECTOR, body: Buffer.from(body), secrets: [secret] });
    expect(headers).toMatchObject({
      'webhook-id': VECTOR.eventId,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  test('two secrets: the current one first, separated by a space', () => {
    const headers = deliveryHeaders({ ...VECTOR, body: Buffer.from('{"test": 2432232314}'), secrets: [SECOND, FIRST] });
    expect(headers['webhook-signature']).toBe(
      'v1,YO/ulmd+VFtlnbodv7yLOOsS6RlBZ48h++gXZrGOpZo= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});

describe('verified by the published libraries', () => {
  const secrets = [generateSigningSecret(), generateSigningSecret()];
  const bodies = {
    plain: '{"a":1}',
    'line breaks': '{\r\n"a": 1\r\n}',
    'null escape': '{"a":"\\u0000"}',
    'four-byte characters': '{"a":"😀𝄞"}',
    '256 KiB': JSON.stringify({ a: 'x'.repeat(262_000) }),
  };
  const signed = (text: string) =>
    deliveryHeaders({ eventId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41', at: new Date(), body: Buffer.from(text), secrets });

  describe.each(Object.entries(bodies))('%s', (_name, text) => {
    test.each(secrets)('a receiver that has one of the secrets accepts both sets of headers', (secret) => {
      const headers = signed(text);
      const family = (prefix: string) => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));
      for (const Verifier of [StandardWebhook, SvixWebhook]) {
        expect(() => new Verifier(secret).verify(text, family('webhook-'))).not.toThrow();
      }
      expect(() => new SvixWebhook(secret).verify(text, family('svix-'))).not.toThrow();
    });
  });

  test('another key, body or id and an old timestamp are rejected', () => {
    const headers = signed('{"a":1}');
    const verifier = new StandardWebhook(secrets[0] ?? '');
    expect(() => new StandardWebhook(generateSigningSecret()).verify('{"a":1}', headers)).toThrow();
    expect(() => verifier.verify('{"a": 1}', headers)).toThrow();
    expect(() => verifier.verify('{"a":1}', { ...headers, 'webhook-id': 'other' })).toThrow();
    const old = deliveryHeaders({ eventId: 'x', at: new Date(Date.now() - 301_000), body: Buffer.from('{}'), secrets });
    expect(() => verifier.verify('{}', old)).toThrow('too old');
  });

  test('both base64 alphabets decode a secret to the same bytes', () => {
    for (let round = 0; round < 200; round += 1) {
      const text = generateSigningSecret().slice('whsec_'.length);
      expect(text).not.toMatch(/[-+/_]/);
      expect(Buffer.from(text, 'base64')).toHaveLength(32);
      const key = Buffer.from(text, 'base64url');
      expect(createHmac('sha256', key).digest()).toEqual(createHmac('sha256', Buffer.from(text, 'base64')).digest());
    }
  });
});
