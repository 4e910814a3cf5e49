import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makePerson } from '../invites/support.ts';

const api = useTestApi();
const conflictOf = (reason: string) => ({ status: 409, error: { code: 'CONFLICT', details: { reason } } });

const makeOpen = async (more: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { marketplaceStatus: 'public', ...more });
  const ada = await makePerson(api);
  const apply = (body?: unknown, person = ada) => api.call('POST', `/marketplace/apply/${programId}`, { key: person.key, body });
  return { key, programId, ada, apply };
};

const applicationsOf = (programId: string) =>
  rowsOf(api, 'select id, status, source, message from application where program_id = ? order by id', [programId]);

test('submits an application with its message, although the program is not ready', async () => {
  const { programId, apply } = await makeOpen();
  const applied = await apply({ message: ' I write about gardening. ' });
  expect(applied.status).toBe(201);
  expect(applied.data).toEqual({
    applicationId: expect.any(String),
    affiliateId: expect.any(String),
    programId,
    status: 'pending',
    message: 'I write about gardening.',
    nextSteps: [expect.any(String), expect.any(String)],
  });
  expect(await applicationsOf(programId)).toEqual([
    { id: applied.data.applicationId, status: 'pending', source: 'api', message: 'I write about gardening.' },
  ]);
});

test.each([undefined, {}, { message: '' }])('a message is not needed: %j', async (body) => {
  const { apply } = await makeOpen();
  expect(await apply(body)).toMatchObject({ status: 201, data: { message: null } });
});

test('an application is approved at once when the program says so', async () => {
  const { key, programId, apply } = await makeOpen({ autoApproveAffiliates: true });
  const applied = await apply();
  expect(applied).toMatchObject({ status: 201, data: { status: 'auto_approved' } });
  const members = await api.call('GET', `/programs/${programId}/affiliates`, { key });
  expect(members.data).toMatchObject([{ id: applied.data.affiliateId, status: 'approved', source: 'api' }]);
});

test.each([
  { marketplaceStatus: 'private' },
  { marketplaceStatus: 'draft' },
  { applicationAccess: 'invite_only' },
  { status: 'paused' },
  { status: 'archived' },
])('404 as if it did not exist for a program with %j', async (body) => {
  const { key, programId, apply } = await makeOpen();
  await api.call('PATCH', `/programs/${programId}`, { key, body });
  const missing = await api.call('POST', `/marketplace/apply/${randomUUID()}`, { key: (await makePerson(api)).key, body: {} });
  const hidden = await apply({});
  expect(hidden).toMatchObject({ status: 404, error: { code: 'NOT_FOUND', message: 'Program not found' } });
  expect(hidden.error).toEqual(missing.error);
  expect(await applicationsOf(programId)).toEqual([]);
});

test('409 for whoever waits, is an affiliate, was declined or is blocked', async () => {
  const { key, apply } = await makeOpen();
  const decide = async (verb?: string) => {
    const person = await makePerson(api);
    const { data } = await apply({}, person);
    if (verb) expect((await api.call('POST', `/applications/${data.applicationId}/${verb}`, { key })).status).toBe(200);
    return apply({}, person);
  };
  expect(await decide()).toMatchObject(conflictOf('APPLICATION_PENDING'));
  expect(await decide('approve')).toMatchObject(conflictOf('ALREADY_MEMBER'));
  expect(await decide('decline')).toMatchObject(conflictOf('REAPPLY_LATER'));
  expect(await decide('block')).toMatchObject(conflictOf('AFFILIATE_BLOCKED'));
});

test('of several requests at once one submits an application', async () => {
  const { programId, apply } = await makeOpen();
  const applied = await Promise.all(Array.from({ length: 6 }, () => apply({})));
  expect(applied.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
  expect(await applicationsOf(programId)).toHaveLength(1);
});

test.each([
  ['message', { message: 'x'.repeat(2001) }],
  ['message', { message: 5 }],
  ['note', { note: 'x' }],
])('422 for an invalid %s', async (path, body) => {
  const { programId, apply } = await makeOpen();
  expect(await apply(body)).toMatchObject({ status: 422, error: { details: { issues: [expect.objectContaining({ path })] } } });
  expect(await applicationsOf(programId)).toEqual([]);
});

test('400 for an id that is no UUID', async () => {
  const { key } = await makePerson(api);
  expect((await api.call('POST', '/marketplace/apply/1', { key, body: {} })).status).toBe(400);
});
