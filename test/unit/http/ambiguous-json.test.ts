import fc from 'fast-check';
import { findAmbiguousJson } from '../../../src/platform/http/parse-json-body.ts';

test.each([
  ['{}', null],
  ['[]', null],
  ['"x"', null],
  ['1', null],
  ['{"a":1,"b":2}', null],
  ['{"a":1,"A":2}', null],
  ['[{"a":1},{"a":2}]', null],
  ['{"a":{"a":{"a":1}}}', null],
  ['{"a":["a","a","a"]}', null],
  ['{"a":"\\"b\\":1,\\"b\\":2"}', null],
  ['{"\\\\":1,"\\"":2}', null],
  ['{"a":1,"a":1}', 'repeated_name'],
  ['{ "a" : 1 ,\n\t"a"\r\n: 2 }', 'repeated_name'],
  ['{"a":1,"\\u0061":2}', 'repeated_name'],
  ['{"":1,"":2}', 'repeated_name'],
  ['{"\\\\":1,"\\u005c":2}', 'repeated_name'],
  ['{"a":[{"b":1,"b":2}]}', 'repeated_name'],
  ['{"a":{"b":[1,[2]]},"b":"{","a":0}', 'repeated_name'],
  [`${'['.repeat(64)}${']'.repeat(64)}`, null],
  [`${'['.repeat(65)}${']'.repeat(65)}`, 'too_deep'],
  [`{"a":"${'['.repeat(100)}"}`, null],
])('%s: %s', (json, ambiguity) => {
  expect(findAmbiguousJson(json)).toBe(ambiguity);
});

test('output of JSON.stringify is never ambiguous; with a repeated member it is', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary', minLength: 1 }), fc.jsonValue({ maxDepth: 5 }), { minKeys: 1 }),
      fc.boolean(),
      (object, spaced) => {
        const text = JSON.stringify(object, null, spaced ? 2 : undefined);
        const [first] = Object.entries(object);
        const twice = `{${JSON.stringify(first?.[0])}:0,${text.slice(1)}`;
        expect([findAmbiguousJson(text), findAmbiguousJson(twice)]).toEqual([null, 'repeated_name']);
      },
    ),
  );
});
