import { importPayoutResults } from '../../../src/domains/payout-runs/index.ts';
import { useTestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { makeManualRun } from './by-hand.ts';

const api = useTestApi();

const TODAY = new Date().toISOString().slice(0, 10);
const AT = `${TODAY}T00:00:00.000Z`;
const inGerman = (day: string): string => day.split('-').reverse().join('.');
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const shown = (lines: { line: number; result: string; reason: string | null }[]) =>
  lines.map(({ line, result, reason }) => [line, result, reason].filter((word) => word !== null).join(' '));

test('each line is done or refused by itself; the same file again changes nothing', async () => {
  const { key, act, payoutIds, statuses } = await makeManualRun(api, 4);
  const [first = '', second, third, fourth] = payoutIds;
  const foreign = await makePayout(api);
  await act('process');
  const csv = [
    '\uFEFFresult,payoutId,bankReference,executedAt,ignored',
    `paid,${first.replaceAll('-', '')},"SCT 2026-4711, part ""A""",${TODAY},x`,
    `failed,${second},,,`,
    `paid,${foreign.payoutId},,,`,
    `paid,${MISSING_ID},,,`,
    `lost,${third},,,`,
    'paid,not-an-id,,,',
    `paid,${fourth},,2126-01-16,`,
    `,${fourth},SCT 1,,`,
    '',
  ].join('\r\n');
  const { status, data } = await act('results', { csv });
  expect([status, data.done, data.unchanged, data.refused]).toEqual([200, 2, 0, 6]);
  expect(shown(data.lines)).toEqual([
    '2 done',
    '3 done',
    '4 refused NOT_FOUND',
    '5 refused NOT_FOUND',
    '6 refused VALIDATION_ERROR',
    '7 refused VALIDATION_ERROR',
    '8 refused VALIDATION_ERROR',
    '9 refused NO_RESULT',
  ]);
  expect(await statuses()).toEqual(['completed', 'failed', 'processing', 'processing']);
  const paid = (await api.call('GET', `/payouts/${first}`, { key })).data;
  expect(paid).toMatchObject({ bankReference: 'SCT 2026-4711, part "A"', executedAt: AT });
  const again = (await act('results', { csv })).data;
  expect([again.done, again.unchanged]).toEqual([0, 2]);
});

test('of several lines about one payout the first counts, also when it is refused', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 2);
  const [first, second] = payoutIds;
  await act('process');
  const csv = `payoutId,result\n${first},paid\n${first},failed\n${second},lost\n${second},paid\n`;
  expect(shown((await act('results', { csv })).data.lines)).toEqual([
    '2 done',
    '3 refused VALIDATION_ERROR',
    '4 refused VALIDATION_ERROR',
    '5 refused VALIDATION_ERROR',
  ]);
  expect(await statuses()).toEqual(['completed', 'processing']);
  const back = `payoutId,bankReference,result\n${first},'=R1,returned\n`;
  expect(shown((await act('results', { csv: back })).data.lines)).toEqual(['2 done']);
  expect(await statuses()).toEqual(['failed', 'processing']);
});

test('MN1: failed payments are never booked as paid, whatever the column is called and wherever the file ends', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 5);
  const [first, second, third, fourth, fifth] = payoutIds;
  await act('process');
  for (const csv of [
    `payoutId,Result\n${first},failed\n`,
    `payoutId,RESULT\n${second},failed\n`,
    `payoutId,status\n${third},failed\n`,
  ])
    expect(shown((await act('results', { csv })).data.lines)).toEqual(['2 done']);
  expect(await statuses()).toEqual(['failed', 'failed', 'failed', 'processing', 'processing']);
  const header = 'payoutId,bankReference,executedAt,result';
  for (const row of [`${fourth},SCT 1,${TODAY},fai`, `${fourth},SCT 1,${TODAY}`, `${fourth},SCT 1,${TODAY},`, `${fourth}`]) {
    const { data } = await act('results', { csv: `${header}\n${row}` });
    expect([data.done, data.refused]).toEqual([0, 1]);
  }
  for (const csv of [
    `payoutId\n${fifth}\n`,
    `payoutId,outcomes\n${fifth},failed\n`,
    `payoutId,bankReference\n${fifth},SCT 1\n`,
  ]) {
    const { status, error } = await act('results', { csv });
    expect([status, error.message]).toEqual([422, expect.stringContaining('must have a header with result')]);
  }
  expect(await statuses()).toEqual(['failed', 'failed', 'failed', 'processing', 'processing']);
});

test('BR9: the file that a German Excel writes is read', async () => {
  const { key, act, file, payoutIds, statuses } = await makeManualRun(api, 2);
  await act('process');
  const [payments] = (await file()).data.files;
  expect(payments.content.startsWith('\uFEFFpayoutId,')).toBe(true);
  const [header, ...rows] = payments.content.replace('\uFEFF', '').trimEnd().split('\r\n');
  const saved = [
    'Zahlungen Januar;;;',
    `${header},bankReference,executedAt,Result`.replaceAll(',', ';'),
    ...rows.map((row: string, n: number) =>
      `${row},E2E ${n},${inGerman(TODAY)},${['bezahlt', 'fehlgeschlagen'][n]}`.replaceAll(',', ';'),
    ),
    ';;;',
  ].join('\r\n');
  const { data } = await act('results', { csv: saved.replaceAll(';20.00;', ';20,00;') });
  expect(shown(data.lines)).toEqual(['3 done', '4 done']);
  expect((await statuses()).toSorted()).toEqual(['completed', 'failed']);
  const payouts = await Promise.all(payoutIds.map(async (id) => (await api.call('GET', `/payouts/${id}`, { key })).data));
  expect(payouts.map(({ executedAt }) => executedAt).filter((at) => at !== null)).toEqual([AT]);
});

test('NS2: files that cannot be read as a whole are 422 and change nothing', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 1);
  await act('process');
  const [id] = payoutIds;
  for (const csv of [
    `${id},paid\n`,
    '',
    ' \n',
    `payoutId,result\n${'x,paid\n'.repeat(10_000)}${id},paid\n`,
    `payoutId,result\n${id},paid\n${'x'.repeat(20_001)},paid\n`,
    `payoutId,result\n${id},paid\n${id},"paid`,
    `payoutId,result,status\n${id},paid,failed\n`,
    `payoutId,result\n${id},paid\n\u0000`,
  ])
    expect((await act('results', { csv })).status).toBe(422);
  expect(await statuses()).toEqual(['processing']);
  const most = await act('results', { csv: `payoutId,result\n${'x,paid\n'.repeat(9_999)}${id},paid\n` });
  expect([most.data.done, most.data.refused]).toEqual([1, 9_999]);
});

test('MN19: amounts and currencies are compared where they stand', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 4);
  await act('process');
  const of = (cells: string, n: number) => `payoutId,result,amount,currency\n${payoutIds[n]},paid,${cells}\n`;
  for (const cells of ['19.99,USD', '20.01,', '2000,USD', '20.00,EUR', ',EUR', 'twenty,USD', '-20.00,', '"20,005",'])
    expect([cells, shown((await act('results', { csv: of(cells, 0) })).data.lines)]).toEqual([
      cells,
      ['2 refused AMOUNT_DIFFERS'],
    ]);
  expect(await statuses()).toEqual(['processing', 'processing', 'processing', 'processing']);
  for (const [n, cells] of ['20.00,USD', '"20,0",usd', '20,', ',USD'].entries())
    expect(shown((await act('results', { csv: of(cells, n) })).data.lines)).toEqual(['2 done']);
  const failed = `payoutId,result,amount\n${payoutIds[0]},returned,19.99\n`;
  expect(shown((await act('results', { csv: failed })).data.lines)).toEqual(['2 refused AMOUNT_DIFFERS']);
  expect(await statuses()).toEqual(['completed', 'completed', 'completed', 'completed']);
});

test('MN14: a payment was not executed, and did not come back, before the payout existed', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 2);
  await act('process');
  const of = (day: string, result: string) => ({ csv: `payoutId,executedAt,result\n${payoutIds[0]},${day},${result}\n` });
  for (const day of ['1970-01-01', daysAgo(2), daysAgo(400)]) {
    const [line] = (await act('results', of(day, 'paid'))).data.lines;
    expect([line.result, line.message]).toEqual([
      'refused',
      expect.stringContaining('executedAt is before the payout was created'),
    ]);
    const body = { payoutIds: [payoutIds[1]], executedAt: `${day}T00:00:00Z` };
    expect((await act('complete', body)).data).toMatchObject({ done: 0, refused: 1 });
  }
  expect(await statuses()).toEqual(['processing', 'processing']);
  expect(shown((await act('results', of(daysAgo(1), 'paid'))).data.lines)).toEqual(['2 done']);
  expect(shown((await act('results', of(daysAgo(3), 'returned'))).data.lines)).toEqual(['2 refused VALIDATION_ERROR']);
  const late = { payoutIds: [payoutIds[0]], note: 'Account closed', occurredAt: '1970-01-01T00:00:00Z' };
  expect((await act('return', late)).data.items[0].message).toContain('occurredAt is before the payout was created');
  expect(await statuses()).toEqual(['completed', 'processing']);
});

test('B5: a line that there was no time for is remaining, not unchanged', async () => {
  const { act, runId, payoutIds, statuses } = await makeManualRun(api, 2);
  await act('process');
  const csv = `payoutId,result\n${payoutIds[0]},paid\n${payoutIds[1]},paid\n${payoutIds[0]},failed\n${MISSING_ID},paid\n`;
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const report = await importPayoutResults(ctx, { runId, csv, withinMs: 0 });
  expect(report).toMatchObject({ done: 0, unchanged: 0, refused: 2, remaining: 2 });
  expect(shown(report.lines)).toEqual(['2 remaining', '3 remaining', '4 refused VALIDATION_ERROR', '5 refused NOT_FOUND']);
  expect(report.lines[0]).toMatchObject({ status: null, reason: null });
  expect(await statuses()).toEqual(['processing', 'processing']);
});
