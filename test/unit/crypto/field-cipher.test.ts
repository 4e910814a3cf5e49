import { createFieldCipher } from '../../../src/platform/crypto/field-cipher.ts';

const cipher = createFieldCipher([{ id: 'k1', key: Buffer.alloc(32, 1) }], Buffer.alloc(32, 2));
const place = { table: 'payout', column: 'details', row: 'p1' };

test('what is encrypted is read in its own place only', () => {
  const stored = cipher.encrypt('DE89370400440532013000', place);
  expect(cipher.decrypt(stored, place)).toBe('DE89370400440532013000');
  for (const other of [{ table: 'mail' }, { column: 'notes' }, { row: 'p2' }]) {
    expect(() => cipher.decrypt(stored, { ...place, ...other })).toThrow(/authenticate/);
  }
});

test('what was changed, or is of an unknown key, is not read', () => {
  const stored = cipher.encrypt('secret', place);
  const last = stored.at(-1) === 'A' ? 'B' : 'A';
  expect(() => cipher.decrypt(stored.replace('.k1.', '.k2.'), place)).toThrow(/known key/);
  expect(() => cipher.decrypt(`${stored.slice(0, 20)}${last}${stored.slice(21)}`, place)).toThrow();
});

test('the same text is encrypted differently each time, and has the same digest for one purpose', () => {
  expect(cipher.encrypt('a', place)).not.toBe(cipher.encrypt('a', place));
  expect(cipher.digest('a', 'email')).toBe(cipher.digest('a', 'email'));
  expect(cipher.digest('a', 'email')).not.toBe(cipher.digest('a', 'code'));
});
