import { importPayoutResults } from '../../../src/domains/payout-runs/index.ts';
import { useTestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { makeManualRun } from './by-hand.ts';

const api = useTestApi();

/** Payouts of a test are made today. */
const TODAY = new Date().toISOString().slice(0, 10);
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const shown = (lines: { line: number; result: string; reason: string | null }[]) =>
  lines.map(({ line, result, reason }) => [line, result, reason].filter((word) => word !== null).join(' '));

test('each line is done or refused by itself; the same file again changes nothing', async () => {
  const { key, act, payoutIds, statuses } = await makeManualRun(api, 3);
  const [first = '', second, third] = payoutIds;
  const foreign = await makePayout(api);
  await act('process');
  const csv = [
    '\uFEFFresult,payoutId,bankReference,executedAt,ignored',
    `,${first.replaceAll('-', '')},"SCT 2026-4711, part ""A""",${TODAY},x`,
    `failed,${second},,,`,
    `paid,${foreign.payoutId},,,`,
    `paid,${MISSING_ID},,,`,
    `lost,${third},,,`,
    'paid,not-an-id,,,',
    `paid,${third},,2126-01-16,`,
    '',
  ].join('\r\n');
  const { status, data } = await act('results', { csv });
  expect([status, data.done, data.unchanged, data.refused]).toEqual([200, 2, 0, 5]);
  expect(shown(data.lines)).toEqual([
    '2 done',
    '3 done',
    '4 refused NOT_FOUND',
    '5 refused NOT_FOUND',
    '6 refused VALIDATION_ERROR',
    '7 refused VALIDATION_ERROR',
    '8 refused VALIDATION_ERROR',
  ]);
  expect(await statuses()).toEqual(['completed', 'failed', 'processing']);
  const paid = (await api.call('GET', `/payouts/${first}`, { key })).data;
  expect(paid).toMatchObject({ bankReference: 'SCT 2026-4711, part "A"', executedAt: `${TODAY}T00:00:00.000Z` });
  const again = (await act('results', { csv })).data;
  expect([again.done, again.unchanged]).toEqual([0, 2]);
});

test('of several lines about one payout the first counts', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 1);
  await act('process');
  const csv = `payoutId,result\n${payoutIds[0]},paid\n${payoutIds[0]},failed\n`;
  expect(shown((await act('results', { csv })).data.lines)).toEqual(['2 done', '3 refused VALIDATION_ERROR']);
  expect(await statuses()).toEqual(['completed']);
  const back = `payoutId,bankReference,result\n${payoutIds[0]},'=R1,returned\n`;
  expect(shown((await act('results', { csv: back })).data.lines)).toEqual(['2 done']);
  expect(await statuses()).toEqual(['failed']);
});

test('a file without a header, an empty one and one with too many lines are 422 and change nothing', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 1);
  await act('process');
  for (const csv of [`${payoutIds[0]},x\n`, '', `payoutId\n${'x\n'.repeat(10_001)}`])
    expect((await act('results', { csv })).status).toBe(422);
  expect(await statuses()).toEqual(['processing']);
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
