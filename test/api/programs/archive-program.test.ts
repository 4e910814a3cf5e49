import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

test('an archived program is answered, and stays readable', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const archived = await api.call('DELETE', `/programs/${programId}`, { key });
  expect(archived).toMatchObject({ status: 200, data: { id: programId, status: 'archived' } });
  expect((await api.call('GET', `/programs/${programId}`, { key })).data.status).toBe('archived');
});

test('archiving twice is harmless', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const first = await api.call('DELETE', `/programs/${programId}`, { key });
  const again = await api.call('DELETE', `/programs/${programId}`, { key });
  expect(again).toMatchObject({ status: 200, data: first.data });
});

test("a missing program is 404 and somebody else's is 403 and stays active", async () => {
  const mine = await makeMerchant(api.runtime);
  const theirs = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, theirs.key);
  expect(await api.call('DELETE', `/programs/${MISSING}`, { key: mine.key })).toMatchObject({
    status: 404,
    error: { code: 'NOT_FOUND' },
  });
  expect(await api.call('DELETE', `/programs/${programId}`, { key: mine.key })).toMatchObject({
    status: 403,
    error: { code: 'FORBIDDEN' },
  });
  expect((await api.call('GET', `/programs/${programId}`, { key: theirs.key })).data.status).toBe('active');
});

test('an id that is no UUID, and a body, are bad requests', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  expect((await api.call('DELETE', '/programs/acme', { key })).error.code).toBe('BAD_REQUEST');
  const refused = await api.call('DELETE', `/programs/${programId}`, { key, body: { force: true } });
  expect(refused).toMatchObject({ status: 400, error: { details: { reason: 'BODY_NOT_ALLOWED' } } });
});
