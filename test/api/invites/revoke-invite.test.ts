import { useTestApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { claim, makeInviter, makePerson } from './support.ts';

const api = useTestApi();

const revoke = (key: string, id: string) => api.call('DELETE', `/invites/${id}`, { key });

test('IN9: a revoked invite is expired, and nobody claims it', async () => {
  const { key, create, list } = await makeInviter(api);
  const { data: invite } = await create({ isPublic: true });
  const revoked = await revoke(key, invite.id);
  expect(revoked).toMatchObject({ status: 200, data: { id: invite.id, status: 'expired' } });
  expect((await revoke(key, invite.id)).data).toEqual(revoked.data);
  expect((await list()).data).toEqual([revoked.data]);
  const refused = await claim(api, await makePerson(api), invite.token);
  expect(refused).toMatchObject({ status: 409, error: { details: { reason: 'INVITE_EXPIRED' } } });
});

test('IN9: the code of a revoked invite is free, and who claimed it before stays', async () => {
  const { key, create, members } = await makeInviter(api);
  const trackingCode = `code-${unique()}`;
  const first = await create({ trackingCode });
  expect((await create({ trackingCode })).error.details.reason).toBe('CODE_TAKEN');
  await revoke(key, first.data.id);
  const second = await create({ trackingCode, skipOnboarding: true });
  expect(second.status).toBe(201);
  await claim(api, await makePerson(api), second.data.token);
  expect((await revoke(key, second.data.id)).data.status).toBe('used_up');
  expect((await members()).data).toMatchObject([{ code: trackingCode }]);
  expect((await create({ trackingCode })).error.details.reason).toBe('CODE_TAKEN');
});

test('IN9: 404 for a missing invite, 403 for one of another merchant, 400 for a token', async () => {
  const { key, create } = await makeInviter(api);
  const { data: invite } = await create();
  const other = await makeMerchant(api.runtime);
  expect((await revoke(key, MISSING_ID)).status).toBe(404);
  expect((await revoke(other.key, invite.id)).status).toBe(403);
  expect((await revoke(key, invite.token)).status).toBe(400);
  expect((await api.call('GET', `/invites/${invite.token}`)).data.status).toBe('open');
});
