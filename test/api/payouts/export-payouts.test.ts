import { anyAddress } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const download = async (key: string, query: Record<string, string> = {}) => {
  const { status, data, text } = await api.call('GET', '/payouts/export', { key, query });
  if (status !== 200) throw new Error(text);
  const { pathname, search } = new URL(data.url);
  const file = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
  return { ...file, lines: file.body.trimEnd().split('\r\n') };
};

const HEADER =
  '\uFEFFpayoutId,code,name,program,gross,fee,currency,rail,reference,status,paid,returned,retryOf,recorded,paymentReference';

it('FI13: payouts are exported as CSV by a signed URL, with names, amounts, references and times', async () => {
  const { key, payoutId, code, programName, act, read } = await makeManualPayout(api);
  const programs = programName.includes(',') ? `"${programName}"` : programName;
  const of = (more: string) => `${payoutId},${code},Ada Test,${programs},20.00,,USD,manual,${more}`;
  const { paymentReference } = await read();
  expect((await download(key)).lines).toEqual([HEADER, of(`,pending,,,,,${paymentReference}`)]);
  await act('process');
  await act('complete', { bankReference: '=SCT 4711' });
  const { completedAt } = await read();
  const file = await download(key);
  expect(file.headers).toMatchObject({
    'content-type': expect.stringContaining('text/csv'),
    'cache-control': 'private, no-store',
  });
  expect(file.lines).toEqual([HEADER, of(`'=SCT 4711,completed,${completedAt},,,${completedAt},${paymentReference}`)]);
  await act('return', { note: 'Account closed' });
  const { failedAt } = await read();
  expect((await download(key)).lines).toEqual([
    HEADER,
    of(`'=SCT 4711,failed,${completedAt},${failedAt},,${completedAt},${paymentReference}`),
  ]);
});

it('FI13: the file holds what the filters of the list select, and never what is of another merchant', async () => {
  const { key, payoutId, code, programId, act } = await makeManualPayout(api);
  await act('process');
  await act('complete', { bankReference: 'SCT 4711' });
  const other = await makeMerchant(api.runtime);
  await makeProgram(api, other.key);
  const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const [tomorrow, yesterday] = [daysFromNow(1), daysFromNow(-1)];
  const selecting: Record<string, string>[] = [
    { code },
    { q: 'sct 47' },
    { reference: 'SCT 4711' },
    { name: 'ada' },
    { programId },
    { status: 'completed' },
    { paidFrom: yesterday },
    { from: yesterday, to: tomorrow },
    { needsAttention: 'false' },
  ];
  for (const query of selecting) {
    expect([query, (await download(key, query)).lines.map((line) => line.split(',')[0])]).toEqual([
      query,
      ['\uFEFFpayoutId', payoutId],
    ]);
    expect((await download(other.key, query)).lines).toEqual([HEADER]);
  }
  const others: Record<string, string>[] = [{ paidFrom: tomorrow }, { needsAttention: 'true' }, { status: 'failed' }, { q: '%' }];
  for (const query of others) expect([query, (await download(key, query)).lines]).toEqual([query, [HEADER]]);
  expect((await api.call('GET', '/payouts/export', { key, query: { limit: '5' } })).status).toBe(400);
});
