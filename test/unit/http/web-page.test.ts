import { hasShortHost, webPageOf } from '../../../src/platform/http/web-page.ts';

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

test('a host of more than 300 characters is not parsed: its conversion to ASCII takes the square of its length', () => {
  expect(hasShortHost(`https://${'\u4e00'.repeat(300)}/`)).toBe(true);
  expect(hasShortHost(`https://${'\u4e00'.repeat(301)}/`)).toBe(false);
  expect(webPageOf(`https://${'a'.repeat(301)}/`)).toBeNull();
});
