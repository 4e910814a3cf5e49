import { useTestApi } from '../../support/api.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('imports are listed with what became of them', async () => {
  const { makeAndSend, importAll, call } = await makeBankPayouts(api, ['Ada A']);
  await importAll((await makeAndSend()).answers);
  expect((await call('GET', '/bank-files/statements')).data).toMatchObject([{ kind: 'status', changed: 1, unmatched: 0 }]);
});
