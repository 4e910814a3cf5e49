import { chart } from '../../../src/console/components/charts.ts';
import { qrCode } from '../../../src/console/qr.ts';

const of = {
  kind: 'bar',
  title: 'Earnings',
  labels: ['Mon', 'Tue'],
  labelHead: 'Day',
  series: [{ name: 'Earned', values: [10, 40] }],
  format: (value: number) => `${value} USD`,
  tableLabel: 'Show as a table',
} as const;

test('a chart has a name, its values on hover, and a table of them', () => {
  const text = String(chart(of));
  expect(text).toContain('role="img" aria-label="Earnings"');
  expect(text).toContain('<title>Tue Earned: 40 USD</title>');
  expect(text).toContain('<tr><th scope="row">Mon</th><td class="end">10 USD</td></tr>');
  expect(text).toContain('<li>40 USD</li><li>30 USD</li><li>20 USD</li><li>10 USD</li><li>0 USD</li>');
});

test('the highest bar has the whole height of a round scale', () => {
  expect(String(chart(of))).toMatch(/<rect x="11" y="0" width="8" height="100">/);
});

test('values below zero hang from the zero line', () => {
  const text = String(chart({ ...of, series: [{ name: 'Earned', values: [-20, 20] }] }));
  expect(text).toMatch(/<rect x="1" y="50" width="8" height="50">/);
  expect(text).toMatch(/<rect x="11" y="0" width="8" height="50">/);
});

test.each([
  ['without labels', { labels: [], series: [{ name: 'Earned', values: [] }] }],
  ['of zeros', { series: [{ name: 'Earned', values: [0, 0] }] }],
  ['of fractions', { series: [{ name: 'Earned', values: [0.001, 0.002] }] }],
  ['of huge amounts', { series: [{ name: 'Earned', values: [1e12, 9e12] }] }],
])('a chart %s has no broken number', (_what, more) => {
  for (const kind of ['bar', 'line'] as const) {
    const text = String(chart({ ...of, ...more, kind }));
    expect(text).not.toMatch(/NaN|Infinity|undefined|e[+-]\d/);
  }
});

test('texts of a chart are escaped', () => {
  expect(String(chart({ ...of, title: '<b>', labels: ['<i>', '"'] }))).not.toMatch(/<b>|<i>/);
});

test('a QR code has the modules of its text, dark on light, with a border of four', () => {
  const text = String(qrCode('https://acme.example/?via=ada', 'Link'));
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(text)?.[1]);
  expect((size - 8 - 17) % 4).toBe(0);
  expect(text).toContain('role="img" aria-label="Link"');
  // The finder pattern in the corner: seven dark modules, then one between two light ones.
  expect(text).toContain('M4 4h7v1H4z');
  expect(text).toMatch(/M4 5h1v1H4z.*M10 5h1v1H10z/);
});
