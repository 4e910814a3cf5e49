import { formatOf } from '../../../src/console/format.ts';

const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');

test.each([
  ['en-US', 123_456, 'USD', '$1,234.56'],
  ['de-DE', 123_456, 'eur', '1.234,56 €'],
  ['de-AT', -5, 'eur', '-€ 0,05'],
  ['en-US', 1_234, 'jpy', '¥1,234'],
  ['en-US', 1_234, 'kwd', 'KWD 1.234'],
  ['en-US', 1_250, 'huf', 'HUF 12.50'],
])('in %s, %d of %s is %s', (locale, amount, currency, text) => {
  expect(plain(formatOf(locale, 'UTC').money(amount, currency))).toBe(text);
});

test('a time is that of the person with its zone, and the exact UTC time', () => {
  const iso = '2026-01-15T23:30:05.123Z';
  expect(plain(String(formatOf('de-DE', 'Europe/Berlin').time(iso)))).toBe(
    `<time datetime="${iso}" title="2026-01-15 23:30:05 UTC">16.01.2026, 00:30 MEZ</time>`,
  );
  expect(plain(String(formatOf('en-US', 'UTC').time(iso)))).toContain('>Jan 15, 2026, 11:30 PM UTC<');
  expect(plain(String(formatOf('en-US', 'America/New_York').date(iso)))).toContain('>Jan 15, 2026<');
});

test('a day without a time is the same day everywhere', () => {
  expect(formatOf('en-US', 'America/New_York').day('2026-01-31')).toBe('Jan 31, 2026');
  expect(formatOf('de-DE', 'Pacific/Auckland').month('2026-03')).toBe('März 2026');
});

test('what is unknown falls back to English and UTC', () => {
  const format = formatOf('no locale', 'No/Zone');
  expect(format.number(1234.5)).toBe('1,234.5');
  expect(String(format.time('2026-01-15T23:30:00.000Z'))).toContain('Jan 15, 2026');
});

test('formatters are made once for a locale and a zone', () => {
  expect(formatOf('en-GB', 'UTC')).toBe(formatOf('en-GB', 'UTC'));
});
