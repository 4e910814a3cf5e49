import { useTestApi } from '../../support/api.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('payments are listed with the name as it was sent beside the original', async () => {
  const { make, call } = await makeBankPayouts(api, ['Zoë Müller']);
  const [file] = (await make()).data.files;
  expect((await call('GET', `/bank-files/${file.id}/lines`)).data).toMatchObject([
    {
      position: 1,
      payee: 'Zoë Müller',
      payeeAsSent: 'Zoe Mueller',
      account: expect.stringMatching(/^DE\d\d…\d{4}$/),
      status: 'open',
      amount: 2_000,
    },
  ]);
});
