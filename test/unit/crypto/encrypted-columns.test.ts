import { globSync, readFileSync } from 'node:fs';
import { ENCRYPTED_COLUMNS } from '../../../src/encrypted-columns.ts';

/** Every place of a cipher context: `table: '…', column: '…'`. */
const PLACE = /table: '(\w+)',\s*column: '(\w+)',\s*row/g;

test('H10: every encrypted column is one that is re-encrypted', () => {
  const code = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const used = code.flatMap((text) => [...text.matchAll(PLACE)].map(([, table, column]) => `${table}.${column}`));
  const listed = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect([...new Set(used)].sort()).toEqual(listed.sort());
});
