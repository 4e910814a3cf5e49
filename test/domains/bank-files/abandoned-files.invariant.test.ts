import { getFileAccount } from '../../../src/domains/bank-files/bank-files.queries.ts';
import { addLine, beginFile, finishFile, type OpenFile } from '../../../src/domains/bank-files/make-file.steps.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { openFileRail, putIntoFile } from '../../../src/domains/payouts/index.ts';
import { readPaymentFile } from '../../../src/local/bank-double/payment-file.ts';
import { type Context, inTransaction } from '../../../src/platform/context.ts';
import { DAY, makeBankPayouts } from '../../api/bank-files/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();

const system = (): Context => api.runtime.context({ kind: 'system', name: 'test' });

/** A request stops in the middle: its file has some of the payouts that wait. */
const beginHalf = async (holders: readonly string[], filed: number) => {
  const made = await makeBankPayouts(api, holders);
  const account = await getFileAccount(system(), made.merchantId);
  const { tag } = openFileRail(account, api.runtime.clock);
  const file = await beginFile(system(), {
    ...{ merchantId: made.merchantId, account: { id: account.id, rail: account.rail, tag } },
    ...{ executionDate: DAY, isInstant: false, isSingle: false, payoutRunId: null, currency: 'eur' },
  });
  for (const id of made.payoutIds.slice(0, filed)) await put(file, id);
  return { ...made, file };
};

const put = (file: OpenFile, id: string): Promise<void> =>
  inTransaction(system(), async (ctx) => {
    const { railAccountId: accountId, messageId } = file;
    const payment = await putIntoFile(ctx, { id, accountId, messageId });
    if (payment) await addLine(ctx, file.id, payment);
  });

const sweep = async (): Promise<void> => {
  await rowsOf(api, `update bank_file set worked_at = worked_at - interval '1 hour' returning id`, []);
  await api.runtime.finishAbandonedFiles(system());
};

const namesIn = (content: string): string[] => readPaymentFile(Buffer.from(content)).payments.map(({ name }) => name);

test('an abandoned file is finished with what is in it, and the others wait for the next one', async () => {
  const { file, states, call, content, make } = await beginHalf(['Ada A', 'Bob B', 'Cy C'], 2);
  expect((await call('GET', `/bank-files/${file.id}/content`)).error.details.reason).toBe('BANK_FILE_NOT_READY');
  expect((await make()).error.details.reason).toBe('BUSY');
  await sweep();
  expect(namesIn(await content(file.id)).toSorted()).toEqual(['Ada A', 'Bob B']);
  expect(await states()).toEqual(['at_bank', 'at_bank', 'to_put_into_file']);
  const next = (await make()).data.files[0];
  expect(namesIn(await content(next.id))).toEqual(['Cy C']);
});

test('a file that somebody works on is left alone, and one without payments is removed', async () => {
  const { file, call } = await beginHalf(['Ada A'], 0);
  expect(await api.runtime.finishAbandonedFiles(system())).toBe(0);
  expect((await call('GET', `/bank-files/${file.id}`)).data.status).toBe('making');
  await sweep();
  expect((await call('GET', `/bank-files/${file.id}`)).status).toBe(404);
});

test('a request that goes on after its file was finished puts nothing into it: the payout waits', async () => {
  const { file, payoutIds, states, content } = await beginHalf(['Ada A', 'Bob B'], 1);
  await sweep();
  await expect(put(file, payoutIds[1] ?? '')).rejects.toMatchObject({ details: { reason: 'BUSY' } });
  expect(await states()).toEqual(['at_bank', 'to_put_into_file']);
  expect(namesIn(await content(file.id))).toEqual(['Ada A']);
});

test('a payment that ended before its file was whole is in no file that a bank gets', async () => {
  const { file, payoutIds, states, content, call } = await beginHalf(['Ada A', 'Bob B'], 2);
  await rowsOf(api, `update payout set needs_attention = true, review_reason = 'status_unknown' where id = ? returning id`, [
    payoutIds[0],
  ]);
  const failed = await call('POST', `/payouts/${payoutIds[0]}/fail`, { note: 'Paid in cash' });
  expect(failed.status).toBe(200);
  await sweep();
  expect(namesIn(await content(file.id))).toEqual(['Bob B']);
  expect((await call('GET', `/bank-files/${file.id}`)).data).toMatchObject({ payments: 1, total: 2_000, results: { open: 1 } });
  expect(await states()).toEqual(['failed', 'at_bank']);
});

test('a payee who is erased while a file is made is paid by it, and forgotten after that', async () => {
  const { file, payoutIds, content, bank, importAll, states } = await beginHalf(['Ada A', 'Bob B'], 2);
  const [{ email }] = await rowsOf(
    api,
    'select f.email from payout o join affiliate a on a.id = o.affiliate_id join affiliate_profile f on f.id = a.profile_id where o.id = ?',
    [payoutIds[0]],
  );
  await erasePerson(system(), { email });
  await finishFile(system(), file.id);
  const bytes = await content(file.id);
  expect(namesIn(bytes).toSorted()).toEqual(['Ada A', 'Bob B']);
  bank.receive(Buffer.from(bytes));
  await importAll(bank.execute(file.messageId, DAY));
  expect(await states()).toEqual(['paid', 'paid']);
  await erasePerson(system(), { email });
  expect(await rowsOf(api, 'select content, status from bank_file where id = ?', [file.id])).toEqual([
    { content: null, status: 'ready' },
  ]);
});

test('erasing a payee whose payment ended leaves a file that is still made without the payee', async () => {
  const { file, payoutIds, content, call } = await beginHalf(['Ada A', 'Bob B'], 2);
  await rowsOf(api, `update payout set needs_attention = true, review_reason = 'status_unknown' where id = ? returning id`, [
    payoutIds[0],
  ]);
  expect((await call('POST', `/payouts/${payoutIds[0]}/fail`, { note: 'Paid in cash' })).status).toBe(200);
  const [{ email }] = await rowsOf(
    api,
    'select f.email from payout o join affiliate a on a.id = o.affiliate_id join affiliate_profile f on f.id = a.profile_id where o.id = ?',
    [payoutIds[0]],
  );
  await erasePerson(system(), { email });
  await sweep();
  expect(namesIn(await content(file.id))).toEqual(['Bob B']);
});
