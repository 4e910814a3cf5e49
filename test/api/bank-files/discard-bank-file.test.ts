import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
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
