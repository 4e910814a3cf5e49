import { KEY_PREFIXES, KEY_TYPES } from '../../../src/contracts/scopes.ts';
import { generateApiKey, hashKey, keyTypeOf } from '../../../src/domains/auth/api-key-format.rules.ts';

describe.each(KEY_TYPES)('a key of the type %s', (keyType) => {
  it('a key is its prefix, 43 characters of base62 for 32 random bytes, and a checksum of 6', () => {
    for (let time = 0; time < 200; time++) {
      const key = generateApiKey(keyType);
      expect(key.startsWith(KEY_PREFIXES[keyType])).toBe(true);
      expect(key.slice(KEY_PREFIXES[keyType].length)).toMatch(/^[0-9A-Za-z]{49}$/);
      expect(keyTypeOf(key)).toBe(keyType);
    }
  });

  it('a key is different each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => generateApiKey(keyType))).size).toBe(1_000);
  });

  it('a key is not valid with another prefix: the checksum covers the prefix', () => {
    const body = generateApiKey(keyType).slice(KEY_PREFIXES[keyType].length);
    for (const other of KEY_TYPES) expect(keyTypeOf(KEY_PREFIXES[other] + body)).toBe(other === keyType ? keyType : null);
  });

  it.each([
    ['one character less', (key: string) => key.slice(0, -1)],
    ['one character more', (key: string) => `${key}0`],
    ['a blank before it', (key: string) => ` ${key}`],
    ['a line break after it', (key: string) => `${key}\n`],
    ['other case', (key: string) => key.toUpperCase()],
    ['another alphabet', (key: string) => `${key.slice(0, -1)}-`],
    ['a letter outside ASCII', (key: string) => `${key.slice(0, -1)}\u0410`],
    ['two neighbours swapped', swapNeighbours],
  ])('a text with %s is not a key', (_name, change) => {
    expect(keyTypeOf(change(generateApiKey(keyType)))).toBeNull();
  });
});

function swapNeighbours(key: string): string {
  const at = [...key].findIndex((character, place) => place > 10 && character !== key[place + 1]);
  return key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
}

test.each(['', 'ak_live_', 'ak_', 'Bearer x', 'sk_live_0000', `ak_live_${'0'.repeat(49)}`, `ak_live_${'z'.repeat(100_000)}`])(
  '%.20s is not a key',
  (text) => {
    expect(keyTypeOf(text)).toBeNull();
  },
);

test('the stored hash is SHA-256 of the key', () => {
  expect(Buffer.from(hashKey('ak_live_x'), 'base64').toString('hex')).toBe(
    'd21c5016064700e8280e706e8c98d343ba2662427ffab9de3c08500f1b545dd5',
  );
});
