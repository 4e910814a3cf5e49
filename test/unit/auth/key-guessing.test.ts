import { randomBytes } from 'node:crypto';
import { KEY_PREFIXES, KEY_TYPES } from '../../../src/contracts/scopes.ts';
import { generateApiKey } from '../../../src/domains/auth/api-key-format.rules.ts';
import { ApiKeyCache } from '../../../src/domains/auth/index.ts';
import type { Orm } from '../../../src/platform/database/orm.ts';
import type { Logger } from '../../../src/platform/logger.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const anyOf = (text: string): string => text[randomBytes(4).readUInt32BE() % text.length] ?? '';
const anyKeyType = () => KEY_TYPES[(randomBytes(1)[0] as number) % KEY_TYPES.length] ?? 'merchant';

/** A cache whose database counts its queries and fails each of them. */
const countingCache = () => {
  let queries = 0;
  const orm = {
    em: {
      fork: () => {
        queries++;
        throw new Error('queried');
      },
    },
  };
  return { cache: new ApiKeyCache(orm as unknown as Orm, {} as Logger), queryCount: () => queries };
};

const randomText = (): string => KEY_PREFIXES[anyKeyType()] + Array.from({ length: 49 }, () => anyOf(ALPHABET)).join('');

const nearMiss = (): string => {
  const key = generateApiKey(anyKeyType());
  const at = randomBytes(4).readUInt32BE() % key.length;
  return key.slice(0, at) + anyOf(ALPHABET.replace(key[at] ?? '', '')) + key.slice(at + 1);
};

test.each([
  ['random well-formed-looking texts', randomText],
  ['keys with one character changed', nearMiss],
])('of 10⁴ %s none is accepted, and at least 99.99 % are rejected without a query', async (_name, generate) => {
  const { cache, queryCount } = countingCache();
  const accepted: string[] = [];
  for (let time = 0; time < 10_000; time++) {
    const text = generate();
    if (typeof (await cache.verify(text).catch(() => 'failed')) !== 'string') accepted.push(text);
  }
  expect(accepted).toEqual([]);
  expect(queryCount()).toBeLessThanOrEqual(1);
});

test('a well-formed key is looked up', async () => {
  const { cache, queryCount } = countingCache();
  await expect(cache.verify(generateApiKey('merchant'))).rejects.toThrow('queried');
  expect(queryCount()).toBe(1);
});
