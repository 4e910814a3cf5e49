import { randomBytes } from 'node:crypto';
import { KEY_PREFIXES, KEY_TYPES } from '../../../src/contracts/scopes.ts';
import { generateApiKey } from '../../../src/domains/auth/api-key-format.ts';
import { ApiKeyCache } from '../../../src/domains/auth/index.ts';
import type { Orm } from '../../../src/platform/database/orm.ts';
import type { Logger } from '../../../src/platform/logger.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const anyOf = (text: string): string => text[randomBytes(4).readUInt32BE() % text.length] ?? '';
const anyKeyType = () => KEY_TYPES[(randomBytes(1)[0] as number) % KEY_TYPES.length] ?? 'merchant';

/** A ring whose database counts how often it is asked, and knows nobody. */
const countingRing = () => {
  let asked = 0;
  const orm = {
    em: {
      fork: () => {
        asked++;
        throw new Error('asked');
      },
    },
  };
  return { ring: new ApiKeyCache(orm as unknown as Orm, {} as Logger), asked: () => asked };
};

const randomText = (): string => KEY_PREFIXES[anyKeyType()] + Array.from({ length: 49 }, () => anyOf(ALPHABET)).join('');

const nearMiss = (): string => {
  const key = generateApiKey(anyKeyType());
  const at = randomBytes(4).readUInt32BE() % key.length;
  return key.slice(0, at) + anyOf(ALPHABET.replace(key[at] ?? '', '')) + key.slice(at + 1);
};

test.each([
  ['random texts of the right shape', randomText],
  ['keys with one character changed', nearMiss],
])('of 10⁴ %s none is accepted, and at least 99.99 % cost no query', async (_name, draw) => {
  const { ring, asked } = countingRing();
  const accepted: string[] = [];
  for (let time = 0; time < 10_000; time++) {
    const text = draw();
    if (await ring.find(text).catch(() => null)) accepted.push(text);
  }
  expect(accepted).toEqual([]);
  expect(asked()).toBeLessThanOrEqual(1);
});

test('a true key is asked for', async () => {
  const { ring, asked } = countingRing();
  await expect(ring.find(generateApiKey('merchant'))).rejects.toThrow('asked');
  expect(asked()).toBe(1);
});
