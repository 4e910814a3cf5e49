import { makeBooks, month } from '../api/ledger/support.ts';
import { useOwnApi } from '../support/api.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';

const api = useOwnApi();

const ledger = (args: readonly string[]) =>
  runProgram(['bin/admin.ts', 'ledger', ...args], operatorEnv(api.runtime.config.DATABASE_URL));

it('ledger export writes the bytes of the API', async () => {
  const { merchantId, post, fileOf } = await makeBooks(api);
  for (const day of ['01', '15']) await post(`${month(-1)}-${day}T12:00:00.000Z`, -250);
  await post(`${month(-2)}-15T12:00:00.000Z`, 1_000);
  const run = await ledger(['export', '--merchant', merchantId, '--from', month(-1), '--to', month(-1)]);
  expect(run).toEqual({ code: 0, out: await fileOf(month(-1)), err: '' });
  expect(run.out.split('\r\n')).toHaveLength(6);
  const wrong = await ledger(['export', '--merchant', merchantId, '--from', '2026-02-30']);
  expect([wrong.code, wrong.out, wrong.err]).toEqual([1, '', expect.stringContaining('must be a day such as 2026-03-31')]);
});

it('MN18: ledger export refuses a range that ends before it begins, and writes no file', async () => {
  const { merchantId } = await makeBooks(api);
  const refused = await ledger(['export', '--merchant', merchantId, '--from', '2026-04', '--to', '2026-03']);
  expect([refused.code, refused.out, refused.err]).toEqual([1, '', expect.stringContaining('--to must not be before from')]);
});

it('ledger reopen opens the last closed month, and says why it opens no other', async () => {
  const { merchantId, key, post, close } = await makeBooks(api);
  await post(`${month(-2)}-15T12:00:00.000Z`, 1_000);
  for (const distance of [-2, -1]) await close(month(distance));
  const reopen = (period: string) =>
    ledger(['reopen', '--merchant', merchantId, '--period', period, '--reason', 'Closed too early', '--json']);
  const refused = await reopen(month(-2));
  expect([refused.code, refused.out, refused.err]).toEqual([1, '', expect.stringContaining('PERIOD_OUT_OF_ORDER')]);
  const reopened = await reopen(month(-1));
  expect([reopened.code, JSON.parse(reopened.out)]).toEqual([0, { merchantId, period: month(-1), status: 'open' }]);
  expect((await api.call('GET', '/ledger/periods', { key })).data[1]).toMatchObject({ period: month(-1), status: 'open' });
});
