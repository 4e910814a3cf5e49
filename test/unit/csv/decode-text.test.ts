import { decodeText } from '../../../src/platform/csv/decode-text.ts';

const TEXT = 'Zürich; Łódź; 100 €';
const GERMAN = 'Müller; 100 €';

test.each([
  ['UTF-8', Buffer.from(TEXT), TEXT],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`), TEXT],
  ['UTF-16 of a little-endian machine', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), TEXT],
  ['UTF-16 of a big-endian machine', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16(), TEXT],
  ['Windows-1252', Buffer.from([...Buffer.from('M\xFCller; 100 ', 'latin1'), 0x80]), GERMAN],
  ['UTF-8 with a mark, cut within a letter', Buffer.from('\uFEFFZahlung für Łó').subarray(0, -1), 'Zahlung für Ł\uFFFD'],
  ['nothing', Buffer.alloc(0), ''],
])('%s is decoded', (_what, bytes, text) => {
  expect(decodeText(bytes)).toBe(text);
});
