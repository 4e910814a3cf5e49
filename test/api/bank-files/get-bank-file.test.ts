import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('a file is shown to its merchant only', async () => {
  const { make, call } = await makeBankPayouts(api, ['Ada A']);
  const [file] = (await make()).data.files;
  expect((await call('GET', `/bank-files/${file.id}`)).data).toMatchObject(file);
  expect((await call('GET', `/bank-files/${file.id}`, undefined, (await makeMerchant(api.runtime)).key)).status).toBe(403);
});
