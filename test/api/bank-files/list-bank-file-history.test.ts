import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';
import { DAY, makeBankPayouts } from './support.ts';

const api = useTestApi();

test('each download and each message of the bank is in the history of a file, with who brought it', async () => {
  const { makeAndSend, content, importAll, importBytes, bank, call } = await makeBankPayouts(api, ['Ada A', 'Bob B']);
  const { file, answers } = await makeAndSend();
  await content(file.id);
  await importAll(answers);
  await importAll(answers);
  bank.execute(file.messageId, DAY);
  await importBytes(bank.statement(DEBTOR_IBAN, DAY, DAY));
  const { data } = await call('GET', `/bank-files/${file.id}/history`);
  expect(data.toReversed()).toMatchObject([
    { type: 'made', by: file.createdBy, payments: 2 },
    { type: 'downloaded', message: null },
    { type: 'downloaded', by: file.createdBy },
    { type: 'reported', message: 'P000001', state: 'ACTC', payments: 0 },
    { type: 'reported', message: expect.stringMatching(/^S/), state: null, payments: 2 },
  ]);
  const stranger = await makeMerchant(api.runtime);
  expect((await call('GET', `/bank-files/${file.id}/history`, undefined, stranger.key)).status).toBe(403);
});

test('a discarded file says who discarded it', async () => {
  const { make, call } = await makeBankPayouts(api, ['Ada A']);
  const { id } = (await make()).data.files[0];
  await call('POST', `/bank-files/${id}/discard`, { note: 'Never uploaded' });
  const { data } = await call('GET', `/bank-files/${id}/history`);
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['discarded', 'made']);
  expect(JSON.stringify(data)).not.toContain('Never uploaded');
});
