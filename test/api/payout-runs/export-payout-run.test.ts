import { parse } from 'csv-parse/sync';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

const download = async (key: string, runId: string): Promise<string> => {
  const { data } = await api.call('GET', `/payout-runs/${runId}/export`, { key, query: { format: 'csv' } });
  const { pathname, search } = new URL(data.url);
  return (await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() })).body;
};

it('returns a URL of a file with every item', async () => {
  const { key, draft, code, affiliateId } = await makePayees(api, 2);
  const run = (await draft()).data;
  const [header, ...lines] = (await download(key, run.id)).trimEnd().split('\r\n');
  expect(header).toBe(
    '\uFEFFrunId,affiliateId,code,email,program,planned,amount,paid,currency,method,rail,destination,result,reason,payoutId',
  );
  expect(lines).toHaveLength(2);
  const cells = lines.find((one) => one.includes(affiliateId))?.split(',') ?? [];
  expect([cells[0], cells[2], ...cells.slice(5, 9), cells[12]]).toEqual([run.id, code, '20.00', '20.00', '', 'USD', 'planned']);
  expect((await api.call('GET', `/payout-runs/${run.id}/export`, { key, query: { format: 'xml' } })).status).toBe(400);
});

interface Member {
  affiliateId: string;
  programId: string;
}

interface Row {
  result: string;
  amount: string;
  paid: string;
}

const minorOf = (decimal: string): number => Math.round(Number(decimal) * 100);

test('MN12: amounts add up to the totals of the run, and paid to what is paid now', async () => {
  const { key, draft, confirm, read, items } = await makePayees(api, 6);
  const run = (await draft()).data;
  await confirm(run);
  const [left, pending, failed, returned, paid]: Member[] = await items(run.id);
  const makePayout = async (member: Member | undefined): Promise<string> => {
    const { affiliateId, programId } = member ?? {};
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    // As the run does, which has no workers here; less was payable by then.
    await rowsOf(
      api,
      `update payout_run_item set result = 'payout', payout_id = ?, paid_amount = 1500 where run_id = ? and affiliate_id = ?`,
      [data.id, run.id, affiliateId],
    );
    return data.id;
  };
  const act = async (id: string, verb: string, body?: object) =>
    expect((await api.call('POST', `/payouts/${id}/${verb}`, { key, ...(body && { body }) })).status).toBe(200);
  await rowsOf(
    api,
    `update payout_run_item set result = 'left_out', reason = 'BELOW_THRESHOLD' where run_id = ? and affiliate_id = ?`,
    [run.id, left?.affiliateId],
  );
  await makePayout(pending);
  for (const [member, verbs] of [
    [failed, ['process', 'fail']],
    [returned, ['process', 'complete', 'return']],
    [paid, ['process', 'complete']],
  ] as const) {
    const id = await makePayout(member);
    for (const verb of verbs) await act(id, verb, verb === 'process' ? undefined : { note: 'As the bank said' });
  }
  const rows: Row[] = parse(await download(key, run.id), { bom: true, columns: true });
  const sumOf = (column: 'amount' | 'paid', result?: string) =>
    rows.filter((row) => result === undefined || row.result === result).reduce((sum, row) => sum + minorOf(row[column]), 0);
  const { totals }: { totals: { result: string; amount: number }[] } = await read(run.id);
  for (const result of ['planned', 'left_out', 'pending', 'failed', 'completed']) {
    const total = totals.filter((group) => group.result === result).reduce((sum, { amount }) => sum + amount, 0);
    expect([result, sumOf('amount', result)]).toEqual([result, total]);
    expect([result, sumOf('paid', result)]).toEqual([result, result === 'completed' ? total : 0]);
  }
  expect([sumOf('amount', 'planned'), sumOf('amount', 'failed'), sumOf('paid')]).toEqual([2_000, 3_000, 1_500]);
  expect(rows.filter(({ result }) => result !== 'completed').map((row) => row.paid)).toEqual(['', '', '', '', '']);
});
