import { escapeMarkdown } from '../../../src/contracts/workflows/text.ts';

test.each([
  ['Acme *Partners*', 'Acme \\*Partners\\*'],
  ['[free](x) <b>', '\\[free\\]\\(x\\) \\<b\\>'],
  ['one\ntwo', 'one two'],
])('%p is shown in the Temporal UI as it is', (name, markdown) => {
  expect(escapeMarkdown(name)).toBe(markdown);
});

test.each(['https://evil.example', 'HTTP://evil.example', 'www.evil.example', 'WWW.evil.example', 'a@evil.example'])(
  '%p in the name of a program does not become a link in the Temporal UI',
  (name) => {
    const text = escapeMarkdown(name);
    expect(text).not.toMatch(/https?:\/\/|www\.|@\w/i);
    expect(text.replaceAll('\u2060', '')).toBe(name);
  },
);
