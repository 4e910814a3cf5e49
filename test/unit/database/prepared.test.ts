import { createStatementNames } from '../../../src/platform/database/prepared.ts';

const statementName = createStatementNames();

test('a statement gets a name at its third use and keeps it', () => {
  const text = 'select $1 as the_same';
  expect([statementName(text), statementName(text)]).toEqual([undefined, undefined]);
  const name = statementName(text);
  expect(name).toMatch(/^[0-9a-f]{40}$/);
  expect(statementName(text)).toBe(name);
});

test('texts that are used once get no name', () => {
  for (let n = 0; n < 5_000; n++) expect(statementName(`insert ${n} values ($1)`)).toBeUndefined();
});

test('at most 500 statements get a name', () => {
  const named = Array.from({ length: 600 }, (_, n) => {
    const text = `select $1 limit ${n}`;
    return [statementName(text), statementName(text), statementName(text)].at(-1);
  }).filter((name) => name !== undefined);
  expect(new Set(named).size).toBe(named.length);
  expect(named.length).toBe(499);
  expect(statementName('select $1 as the_same')).toBeDefined();
});
