import {
  isCount,
  isFlag,
  isNullOr,
  isObjectOf,
  isOneOf,
  isOptional,
  isText,
  isTime,
} from '../../../src/contracts/workflows/predicates.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  text: 'text',
  'empty text': '',
  time: '2026-01-31T10:00:00.123Z',
  zero: 0,
  count: 7,
  'negative number': -1,
  fraction: 0.5,
  'unsafe number': Number.MAX_SAFE_INTEGER + 1,
  'not a number': Number.NaN,
  true: true,
  false: false,
  null: null,
  undefined,
  list: [],
  object: {},
};

test.each([
  ['isText', isText, ['text', 'empty text', 'time']],
  ['isCount', isCount, ['zero', 'count']],
  ['isFlag', isFlag, ['true', 'false']],
  ['isTime', isTime, ['time']],
  ['isOneOf', isOneOf(['text', 7]), ['text', 'count']],
  ['isNullOr', isNullOr(isFlag), ['true', 'false', 'null']],
  ['isOptional', isOptional(isFlag), ['true', 'false', 'undefined']],
])('%s accepts its values and no others', (_name, predicate, accepted) => {
  const found = Object.entries(VALUES).filter(([, value]) => predicate(value));
  expect(found.map(([name]) => name)).toEqual(accepted);
});

const isSnapshot = isObjectOf<{ version: number; note?: string }>({ version: isCount, note: isOptional(isText) });

test.each([{ version: 1 }, { version: 1, note: 'paid' }, { version: 1, newer: true }])('%j is a snapshot', (value) => {
  expect(isSnapshot(value)).toBe(true);
});

test.each([undefined, null, 'text', 7, [], {}, { version: '1' }, { version: null }, { version: 1, note: 7 }])(
  '%j is no snapshot',
  (value) => {
    expect(isSnapshot(value)).toBe(false);
  },
);
