import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('an archived program is returned and can still be retrieved', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const archived = await api.call('DELETE', `/programs/${programId}`, { key });
  expect(archived).toMatchObject({ status: 200, data: { id: programId, status: 'archived' } });
  expect((await api.call('GET', `/programs/${programId}`, { key })).data.status).toBe('archived');
});

test('archiving twice changes nothing', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const first = await api.call('DELETE', `/programs/${programId}`, { key });
  const again = await api.call('DELETE', `/programs/${programId}`, { key });
  expect(again).toMatchObject({ status: 200, data: first.data });
});
