import { webPageOf } from '../../../src/platform/http/web-page.ts';

test.each([
  ['https://acme.example', 'acme.example'],
  ['HTTP://user:secret@Acme.example:8080/a?b#c', 'acme.example'],
  ['https://b\u00fccher.example?q', 'xn--bcher-kva.example'],
  ['https://[::1]\\x', '[::1]'],
])('%s is a web page', (text, hostname) => {
  expect(webPageOf(text)?.hostname).toBe(hostname);
});

test.each([
  '',
  'null',
  'acme.example',
  'https:acme.example',
  'https:///acme.example',
  'https://',
  'https://a b/',
  'javascript://acme.example/',
  ' https://a/',
])('%j is no web page', (text) => {
  expect(webPageOf(text)).toBeNull();
});

test('a long host is rejected unparsed: its conversion to ASCII takes the square of its length', () => {
  const host = Array.from({ length: 4_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  const before = process.cpuUsage();
  for (let time = 0; time < 20; time++) expect(webPageOf(`https://${host}/`)).toBeNull();
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});
