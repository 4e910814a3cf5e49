import { loadConfig } from '../../../src/config.ts';

const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
const load = (keys: string) => loadConfig({ DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x', ENCRYPTION_KEYS: keys });

test('H10: two keys with the same id are refused, without naming a key', () => {
  expect(() => load(`k1:${key(1)},k1:${key(2)}`)).toThrow(/ENCRYPTION_KEYS must not contain the same key id twice$/);
  expect(load(`k2:${key(2)},k1:${key(1)}`).ENCRYPTION_KEYS.map(({ id }) => id)).toEqual(['k2', 'k1']);
});
