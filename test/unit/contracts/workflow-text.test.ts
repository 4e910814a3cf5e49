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

test('direction and other invisible characters are not shown in the Temporal UI, and hide no link', () => {
  expect(escapeMarkdown('Acme \u202Edetimil\u2069 \u0007Ltd\u200B\u00AD\uFEFF')).toBe('Acme detimil Ltd');
  expect(escapeMarkdown('w\u200Dww.evil.example')).toBe('www\u2060.evil.example');
  expect(escapeMarkdown('https:\u200B//evil.example').replace('\u2060', '|')).toBe('https:|//evil.example');
  expect(escapeMarkdown('שלום Zoë 東京 😀')).toBe('שלום Zoë 東京 😀');
});
