import { createOpenApi } from '../../../src/api/openapi.ts';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makePayable, sendRefund } from '../../support/factories.ts';
import { downloadJournal, makeBooks, month } from './support.ts';

const api = useTestApi();

const HEADER = '\uFEFFdate,account,counterAccount,kind,subject,affiliate,currency,amount,program,transaction,rail';

const cellsOf = (lines: readonly string[]) => lines.slice(1).map((line) => line.split(','));

it('the file has one line per entry with its counter-account, subject, program and decimal amount', async () => {
  const { key, affiliateId, programId, conversionId } = await makePayable(api);
  const payout = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const { lines, headers } = await downloadJournal(api, key);
  expect(headers['content-type']).toContain('text/csv');
  expect(lines[0]).toBe(HEADER);
  const rows = cellsOf(lines);
  const today = new Date().toISOString().slice(0, 10);
  const [conversion, paid] = [conversionId, payout.data.id];
  expect(rows.map((cells) => cells.slice(0, 9))).toEqual([
    [today, 'merchant_expense', 'pending', 'conversion', conversion, affiliateId, 'USD', '-20.00', programId],
    [today, 'pending', 'merchant_expense', 'conversion', conversion, affiliateId, 'USD', '20.00', programId],
    [today, 'pending', 'payable', 'approval', conversion, affiliateId, 'USD', '-20.00', programId],
    [today, 'payable', 'pending', 'approval', conversion, affiliateId, 'USD', '20.00', programId],
    [today, 'payable', 'in_payout', 'payout_created', paid, affiliateId, 'USD', '-20.00', programId],
    [today, 'in_payout', 'payable', 'payout_created', paid, affiliateId, 'USD', '20.00', programId],
  ]);
  expect(new Set(rows.map((cells) => cells[9])).size).toBe(3);
});

it('selects by the days of booking, both included, and never what is of another merchant', async () => {
  const { key, post } = await makeBooks(api);
  const period = month(-2);
  for (const day of ['01', '15', '28']) await post(`${period}-${day}T12:00:00.000Z`, 100);
  const daysOf = async (query: Record<string, string>) => {
    const rows = cellsOf((await downloadJournal(api, key, query)).lines);
    return [...new Set(rows.map(([day]) => day?.slice(8)))];
  };
  expect(await daysOf({})).toEqual(['01', '15', '28']);
  expect(await daysOf({ from: `${period}-15` })).toEqual(['15', '28']);
  expect(await daysOf({ to: `${period}-15` })).toEqual(['01', '15']);
  expect(await daysOf({ from: `${period}-02`, to: `${period}-27` })).toEqual(['15']);
  expect(await daysOf({ from: period, to: period })).toEqual(['01', '15', '28']);
  expect(await daysOf({ from: month(-3), to: month(-3) })).toEqual([]);
  expect(await daysOf({ from: month(-1) })).toEqual([]);
  expect((await downloadJournal(api, (await makeMerchant(api.runtime)).key)).lines).toEqual([HEADER]);
});

it('MN18: a range that ends before it begins is 400, not an empty file', async () => {
  const { key } = await makeMerchant(api.runtime);
  const exportRange = (query: Record<string, string>) => api.call('GET', '/ledger/export', { key, query });
  for (const query of [
    { from: '2026-03-02', to: '2026-03-01' },
    { from: '2026-04', to: '2026-03' },
    { from: '2026-04', to: '2026-03-31' },
  ]) {
    const { status, error } = await exportRange(query);
    expect([status, error.details.issues]).toEqual([400, [{ path: 'to', code: 'custom', message: 'must not be before from' }]]);
  }
  expect((await exportRange({ from: '2026-03-31', to: '2026-03' })).status).toBe(200);
});

it('the file has more entries than one batch, each once', async () => {
  const { key, post } = await makeBooks(api);
  for (let n = 0; n < 260; n++) await post(`${month(-1)}-10T12:00:00.000Z`, 1 + n);
  const rows = cellsOf((await downloadJournal(api, key)).lines);
  const amounts = rows.filter(([, account]) => account === 'payable').map((cells) => Number(cells[7]));
  expect(rows).toHaveLength(520);
  expect(amounts).toEqual(Array.from({ length: 260 }, (_, n) => (1 + n) / 100));
});

it('a refund has lines of its own, and nothing is changed', async () => {
  const { key, program, saleId } = await makePayable(api);
  const before = await downloadJournal(api, key);
  await sendRefund(api, program, { saleId, amount: 5_000 });
  const after = await downloadJournal(api, key);
  expect(after.body.startsWith(before.body)).toBe(true);
  expect(
    cellsOf(after.lines)
      .slice(4)
      .map((cells) => [cells[1], cells[3], cells[7]]),
  ).toEqual([
    ['payable', 'refund', '-10.00'],
    ['merchant_expense', 'refund', '10.00'],
  ]);
});

const documentedDay = () => {
  const [from] = createOpenApi(OPERATIONS).paths?.['/ledger/export']?.get?.parameters ?? [];
  return from as { name: string; schema: { pattern: string } };
};

it.each(['2026-02-30', '2203-04-31', '2026-3-1', '2026-13', '20260301', '0000-01-01', '2026-03-01T00:00:00Z', ''])(
  '400 for the day %j, as documented',
  async (from) => {
    const { key } = await makeMerchant(api.runtime);
    expect((await api.call('GET', '/ledger/export', { key, query: { from } })).error?.code).toBe('BAD_REQUEST');
    const { name, schema } = documentedDay();
    expect([name, new RegExp(schema.pattern, 'u').test(from)]).toEqual(['from', false]);
  },
);

it.each(['2024-02-29', '2026-03-31', '2026-12'])('the day or month %j is documented', (from) => {
  expect(new RegExp(documentedDay().schema.pattern, 'u').test(from)).toBe(true);
});
