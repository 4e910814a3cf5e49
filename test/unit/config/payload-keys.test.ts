import { loadConfig } from '../../../src/config.ts';

const [k1, k2] = [1, 2].map((byte) => ({ id: `k${byte}`, key: Buffer.alloc(32, byte) }));
const textOf = (...keys: (typeof k1)[]) => keys.map((key) => `${key?.id}:${key?.key.toString('base64')}`).join(',');

const load = (text: string) =>
  loadConfig({
    DATABASE_URL: 'postgres://x',
    REDIS_URL: 'redis://x',
    ENCRYPTION_KEYS: textOf(k1),
    TEMPORAL_PAYLOAD_KEYS: text,
  }).TEMPORAL_PAYLOAD_KEYS;

test('TE4: the first key of payloads encrypts and all decrypt; none in its place turns encryption off and keeps the keys', () => {
  expect(load('')).toBeUndefined();
  expect(load(textOf(k2, k1))).toEqual({ keys: [k2, k1], current: k2 });
  expect(load(`none,${textOf(k2, k1)}`)).toEqual({ keys: [k2, k1], current: null });
});

test.each(['none', 'none,', 'off,x', `none:${'A'.repeat(8)}`])('keys of payloads cannot be %p', (text) => {
  expect(() => load(text)).toThrow('TEMPORAL_PAYLOAD_KEYS');
});
