import { useTestApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';
import { draftRun } from '../../support/payout-runs.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('payouts that wait are put into one file, each once, and it is on their timelines', async () => {
  const { make, states, timeline, payoutIds, read } = await makeBankPayouts(api, ['Ada Lovelace', 'Zoë Müller']);
  expect(await states()).toEqual(['to_put_into_file', 'to_put_into_file']);
  const made = await make();
  expect([made.status, made.data.refused, made.data.remaining]).toEqual([201, [], 0]);
  expect(made.data.files).toMatchObject([
    { status: 'ready', payments: 2, total: 4_000, currency: 'eur', single: false, results: { open: 2 }, downloads: 0 },
  ]);
  expect(made.data.files[0].messageId).toMatch(/^\d{8}-000001-DE3000-[0-9A-F]{4}$/);
  expect(await states()).toEqual(['at_bank', 'at_bank']);
  for (const id of payoutIds) expect(await timeline(id)).toEqual(['created', 'attempt_reserved', 'file_made']);
  expect((await read(payoutIds[0] ?? '')).status).toBe('processing');
  expect((await make()).error.details.reason).toBe('NOTHING_TO_PUT_INTO_FILE');
});

test('two requests at once never put a payout into two files', async () => {
  const { make, payoutIds } = await makeBankPayouts(api, ['Ada A', 'Ada B', 'Ada C']);
  await Promise.all([make(), make(), make()]);
  const lines = await rowsOf(api, 'select payout_id from bank_file_line where payout_id = any(?::uuid[])', [
    `{${payoutIds.join(',')}}`,
  ]);
  expect(lines).toHaveLength(3);
  const files = await rowsOf(
    api,
    'select distinct f.n, f.status from bank_file f join bank_file_line l on l.file_id = f.id where l.payout_id = any(?::uuid[]) order by n',
    [`{${payoutIds.join(',')}}`],
  );
  expect(files).toEqual(files.map((_, at) => ({ n: at + 1, status: 'ready' })));
});

test('more payments than the bank takes become several files with numbers without a gap', async () => {
  const { make } = await makeBankPayouts(api, ['Ada A', 'Ada B', 'Ada C'], { account: { maxTransactions: 2 } });
  const { files } = (await make()).data;
  expect(files.map(({ payments }: { payments: number }) => payments)).toEqual([2, 1]);
  expect(files.map(({ messageId }: { messageId: string }) => messageId.slice(9, 15))).toEqual(['000001', '000002']);
});

test('a single payout, its day and instant payments are as the request says', async () => {
  const { make, payoutIds, content } = await makeBankPayouts(api, ['Ada A', 'Ada B']);
  const { files } = (await make({ payoutId: payoutIds[1], instant: true, executionDate: '2026-12-28' })).data;
  expect(files).toMatchObject([{ payments: 1, single: true, instant: true, executionDate: '2026-12-28' }]);
  expect(await content(files[0].id)).toContain('<LclInstrm><Cd>INST</Cd></LclInstrm>');
  for (const executionDate of ['2026-12-25', '2020-01-01', '2028-01-03'])
    expect((await make({ executionDate })).error.code).toBe('VALIDATION_ERROR');
});

test('a payout of a blocked affiliate fails, one that the account cannot pay waits, and without payments there is no file', async () => {
  const { make, payoutIds, states } = await makeBankPayouts(api, ['Ada A']);
  await rowsOf(
    api,
    `update rail_account set settings = settings || '{"debtorIban": "CH9300762011623852957"}' where id in (select rail_account_id from bank_file union select id from rail_account where merchant_id = (select merchant_id from payout where id = ?))`,
    [payoutIds[0]],
  );
  const made = await make();
  expect(made.data).toMatchObject({ files: [], refused: [{ payoutId: payoutIds[0], reason: 'RAIL_CANNOT_PAY' }] });
  expect(await states()).toEqual(['to_put_into_file']);
  await rowsOf(api, `update affiliate set status = 'blocked' where id = (select affiliate_id from payout where id = ?)`, [
    payoutIds[0],
  ]);
  expect((await make()).data.files).toEqual([]);
  expect(await states()).toEqual(['failed']);
});

test('a manual payout, one of another merchant, and a reader are refused', async () => {
  const { make, call } = await makeBankPayouts(api, ['Ada A']);
  const other = await makeBankPayouts(api, ['Ada B']);
  expect((await make({ payoutId: other.payoutIds[0] })).status).toBe(404);
  expect((await call('POST', '/bank-files', { payoutId: other.payoutIds[0] }, other.key)).status).toBe(201);
  await rowsOf(api, `update payout set rail = 'manual' where merchant_id = ?`, [other.merchantId]);
  expect((await other.make({ payoutId: other.payoutIds[0] })).error.details.reason).toBe('RAIL_NOT_FILE');
});

test('a run that still creates its payouts has no file yet, and a file of all that wait leaves its payouts out', async () => {
  const { make, call, payoutIds, merchantId, key } = await makeBankPayouts(api, ['Ada A', 'Bob B']);
  const payee = await makePayable(api, { merchant: { merchantId, key, keyId: '' }, program: { currency: 'eur' } });
  const run = await draftRun(api, { key, programId: payee.programId });
  expect((await run.confirm()).data.status).toBe('running');
  await rowsOf(api, 'update payout set payout_run_id = ? where id = ?', [run.runId, payoutIds[0]]);
  const refused = await make({ runId: run.runId });
  expect([refused.status, refused.error.details.reason]).toEqual([409, 'RUN_NOT_READY']);
  expect((await call('GET', '/bank-files/preview')).data).toMatchObject({ payments: 1 });
  expect((await make()).data.files).toMatchObject([{ payments: 1 }]);
  await rowsOf(api, `update payout_run_item set result = 'left_out', reason = 'NOTHING_PAYABLE' where run_id = ?`, [run.runId]);
  expect((await make({ runId: run.runId })).data.files).toMatchObject([{ payments: 1, runId: run.runId }]);
});
