import { eraseProfile } from '../../../src/domains/affiliates/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { eraseMails } from '../../../src/domains/notifications/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { apply, makeApplication } from '../../support/applications.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { mailsAbout } from '../notifications/support.ts';

const api = useOwnApi();
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

test('pending applications are withdrawn and their workflows told; decided ones stay, and nobody is written to', async () => {
  const application = await makeApplication(api);
  const { email, profileId, applicationId, key } = application;
  const other = await makeProgram(api, key);
  const declined = await apply(system(), other.programId, { profileId });
  await api.call('POST', `/applications/${declined.applicationId}/decline`, { key });
  const last = await makeMerchant(api.runtime);
  const elsewhere = await apply(system(), (await makeProgram(api, last.key)).programId, { profileId });
  expect((await erasePerson(system(), { email })).erased).toMatchObject({ applications: 2, memberships: 0 });
  expect((await erasePerson(system(), { email })).erased).toMatchObject({ applications: 0 });
  const [mine, theirs, before] = [applicationId, elsewhere.applicationId, declined.applicationId];
  const read = async (id: string, by: string) => (await api.call('GET', `/applications/${id}`, { key: by })).data;
  for (const shown of [await read(mine, key), await read(theirs, last.key)])
    expect(shown).toMatchObject({ status: 'withdrawn', name: null, dueAt: null, decidedAt: expect.any(String) });
  expect(await read(before, key)).toMatchObject({ status: 'declined' });
  const totals = await api.call('GET', '/applications', { key, query: { status: 'pending' } });
  expect(totals).toMatchObject({ data: [], meta: { total: 0 } });
  const signals = sql<{ status: string }>`select payload #>> '{snapshot,status}' as status from outbox
    where topic = 'application.changed' and subject_id = any(${[mine, theirs]}::uuid[])`;
  expect(await rows(system().em, signals)).toEqual([{ status: 'withdrawn' }, { status: 'withdrawn' }]);
  await eraseMails(system(), { address: email });
  for (const id of [mine, theirs]) expect(await mailsAbout(api.runtime, id)).toEqual([]);
  for (const verb of ['approve', 'decline', 'block'])
    expect(await api.call('POST', `/applications/${mine}/${verb}`, { key })).toMatchObject({
      status: 409,
      error: { details: { reason: 'ALREADY_DECIDED', status: 'withdrawn' } },
    });
});

test('nobody becomes an affiliate whose data was erased, also when their application still waits', async () => {
  const { email, applicationId, affiliateId, key } = await makeApplication(api);
  // Without what withdraws the application.
  await eraseProfile(system(), email);
  const approved = await api.call('POST', `/applications/${applicationId}/approve`, { key });
  expect(approved).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { reason: 'ALREADY_DECIDED' } } });
  expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).status).toBe(404);
  expect((await api.call('POST', `/applications/${applicationId}/decline`, { key })).status).toBe(200);
});

test('a merchant who adds the address after the erasure adds a new person', async () => {
  const { email, programId, profileId, affiliateId, applicationId, key } = await makeApplication(api);
  await erasePerson(system(), { email });
  const added = await api.call('POST', '/affiliates', { key, body: { programId, email } });
  expect(added.status).toBe(201);
  expect(added.data.id).not.toBe(affiliateId);
  expect((await api.call('GET', `/applications/${applicationId}`, { key })).data.status).toBe('withdrawn');
  const members = sql<{ id: string }>`select profile_id as id from affiliate where program_id = ${programId}::uuid`;
  const found = await rows(system().em, members);
  expect(found).toHaveLength(1);
  expect(found[0]?.id).not.toBe(profileId);
});
