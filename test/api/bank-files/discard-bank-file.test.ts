import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { callAs, makePerson } from '../../support/people.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('a file that nobody downloaded is discarded: its payments fail, and its bytes are given to nobody', async () => {
  const { make, call, states, payoutIds, read } = await makeBankPayouts(api, ['Ada A', 'Bob B']);
  const { id } = (await make()).data.files[0];
  const discarded = await call('POST', `/bank-files/${id}/discard`, { note: 'wrong day' });
  expect(discarded.data).toMatchObject({ status: 'discarded', discardNote: 'wrong day', results: { failed: 2 } });
  expect(await states()).toEqual(['failed', 'failed']);
  expect((await read(payoutIds[0] ?? '')).failureCode).toBe('file_discarded');
  expect((await call('GET', `/bank-files/${id}/content`)).error.details.reason).toBe('BANK_FILE_DISCARDED');
  expect((await call('POST', `/bank-files/${id}/discard`, { note: 'again' })).data.discardNote).toBe('wrong day');
});

test('a downloaded file needs its name, and once the bank accepted it nobody discards it', async () => {
  const { makeAndSend, importAll, call } = await makeBankPayouts(api, ['Ada A']);
  const { file, answers } = await makeAndSend();
  const discard = (body: object) => call('POST', `/bank-files/${file.id}/discard`, body);
  expect((await discard({ note: 'x' })).error.code).toBe('VALIDATION_ERROR');
  expect((await discard({ note: 'x', name: 'other.xml' })).error.code).toBe('VALIDATION_ERROR');
  await importAll(answers);
  expect((await discard({ note: 'x', name: file.name })).error.details.reason).toBe('RAIL_ACCEPTED');
});

test('where approvals are on, only a second actor discards a downloaded file', async () => {
  const { makeAndSend, call, merchantId, states } = await makeBankPayouts(api, ['Ada A']);
  const second = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:write', 'payouts:read'] });
  await rowsOf(api, `update merchant set payout_approval_threshold = '{"eur": 1000000}' where id = ?`, [merchantId]);
  const { file } = await makeAndSend();
  const body = { note: 'canceled at the bank', name: file.name };
  expect((await call('POST', `/bank-files/${file.id}/discard`, body)).error.details.reason).toBe('SAME_ACTOR');
  expect((await call('POST', `/bank-files/${file.id}/discard`, { note: 'canceled at the bank' }, second.key)).status).toBe(200);
  expect(await states()).toEqual(['failed']);
});

test('a person proves by a passkey that it is them, and one who had the file in hand never discards it alone where approvals are on', async () => {
  const { make, merchantId, states } = await makeBankPayouts(api, ['Ada A']);
  const [finance, owner] = [await makePerson(api, { merchantId, role: 'finance' }), await makePerson(api, { merchantId })];
  const [file] = (await make()).data.files;
  const params = { id: file.id };
  const codeOnly = { ...finance.actor, proof: { passkeyAt: null, codeAt: new Date(), hasPasskey: false } };
  const discard = (actor: typeof finance.actor, body: { note: string; name?: string }) =>
    callAs(api, actor, 'discardBankFile', { params, body });
  expect((await callAs(api, finance.actor, 'getBankFileContent', { params })).status).toBe(200);
  const body = { note: 'Cancelled at the bank', name: file.name };
  expect((await discard(codeOnly as typeof finance.actor, body)).error?.details).toMatchObject({
    reason: 'FRESH_CHECK_REQUIRED',
    needs: 'passkey',
  });
  expect((await discard(finance.actor, { note: body.note })).error?.code).toBe('VALIDATION_ERROR');
  await rowsOf(api, `update merchant set payout_approval_threshold = '{"eur": 1000000}' where id = ?`, [merchantId]);
  expect((await discard(finance.actor, body)).error?.details?.['reason']).toBe('SAME_ACTOR');
  expect(await states()).toEqual(['at_bank']);
  await rowsOf(api, `update bank_file set created_at = now() + interval '1 second' where id = ?`, [file.id]);
  expect((await discard(owner.actor, { note: body.note })).data).toMatchObject({ status: 'discarded' });
  expect(await states()).toEqual(['failed']);
});

test('a file that is handed out while somebody discards it is one that was handed out', async () => {
  const { make, call, states } = await makeBankPayouts(api, ['Ada A']);
  const { id } = (await make()).data.files[0];
  const discarding = await inTransaction(api.runtime.context({ kind: 'system', name: 'test' }), async (ctx) => {
    await execute(ctx.em, sql`update bank_file set downloads = 1, downloaded_at = now() where id = ${id}`);
    const request = call('POST', `/bank-files/${id}/discard`, { note: 'wrong day' });
    await untilSomebodyWaits(api);
    return { request };
  });
  expect((await discarding.request).error.code).toBe('VALIDATION_ERROR');
  expect(await states()).toEqual(['at_bank']);
});
