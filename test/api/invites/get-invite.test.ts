import { generateApiKey } from '../../../src/domains/auth/api-key-format.rules.ts';
import { useTestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { claim, makeInviter, makePerson } from './support.ts';

const api = useTestApi();
const get = (token: string, key?: string) => api.call('GET', `/invites/${token}`, key === undefined ? {} : { key });

test('the operation needs no key, and shows the program but not for whom the invite is', async () => {
  const { programId, invite } = await makeInviter(api, { name: 'Acme Partners', description: 'Plan projects' });
  const secrets = [`ada-${unique()}@blog.example`, `label-${unique()}`, `code-${unique()}`];
  const [email, name, trackingCode] = secrets;
  const token = await invite({ email, name, trackingCode });
  const found = await get(token);
  expect(found).toMatchObject({ status: 200 });
  expect(found.data).toEqual({
    token,
    programId,
    programName: 'Acme Partners',
    companyName: expect.any(String),
    portalName: null,
    portalTheme: null,
    portalLogo: null,
    programDescription: 'Plan projects',
    website: null,
    termsUrl: null,
    commissionType: 'recurring',
    commissionPercent: 20,
    commissionLimitMonths: null,
    currency: 'usd',
    email: '',
    isForOnePerson: true,
    status: 'open',
    expiresAt: expect.any(String),
    createdAt: expect.any(String),
  });
  for (const key of [undefined, (await makePerson(api, email)).key]) {
    const { text } = await get(token, key);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
});

test('an invite says whether it can be claimed', async () => {
  const { key, programId, invite } = await makeInviter(api);
  const [used, expired, open] = [await invite(), await invite(), await invite({ isPublic: true })];
  await claim(api, await makePerson(api), used);
  await rowsOf(api, `update invite set expires_at = now() - interval '1 second' where token = ?`, [expired]);
  const statusOf = async (token: string) => (await get(token)).data.status;
  expect([await statusOf(used), await statusOf(expired), await statusOf(open)]).toEqual(['used_up', 'expired', 'open']);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'archived' } });
  expect(await statusOf(open)).toBe('program_inactive');
});

test.each(['inv_0', `inv_${'0'.repeat(40)}`, 'INV', '-'])('404 for the unknown token %s', async (token) => {
  expect(await get(token)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND', message: 'Invite not found' } });
});

test.each(['%00', 'a%20b', 'x'.repeat(101), "'"])('400 for %s, which is no token', async (token) => {
  expect(await get(token)).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { issues: [expect.objectContaining({ path: 'token' })] } },
  });
});

test('a token in another case is another token', async () => {
  const { invite } = await makeInviter(api);
  expect((await get((await invite()).toUpperCase())).status).toBe(404);
});

test('IN9: failed sign-ins do not keep the same address from opening an invite, which has ten a minute of its own', async () => {
  const { invite } = await makeInviter(api);
  const token = await invite();
  const from = '10.77.8.9';
  const guess = () => api.call('GET', '/me', { from });
  const open = () => api.call('GET', `/invites/${token}`, { from });
  for (let guessed = 0; guessed < 10; guessed++) expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(429);
  for (let opened = 0; opened < 10; opened++) expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(429);
});

test('IN9: keys that are guessed at an invite count as guesses elsewhere, and keep nobody from opening it', async () => {
  const { invite } = await makeInviter(api);
  const token = await invite();
  const from = '10.77.8.10';
  const open = (key?: string) => api.call('GET', `/invites/${token}`, { from, key });
  for (let guessed = 0; guessed < 5; guessed++) {
    expect((await api.call('GET', '/me', { from, key: generateApiKey('merchant') })).status).toBe(401);
    expect((await open(generateApiKey('merchant'))).status).toBe(200);
  }
  expect((await open(generateApiKey('merchant'))).status).toBe(429);
  expect((await api.call('GET', '/me', { from, key: 'ak_live_mistyped' })).status).toBe(429);
  expect((await open()).status).toBe(200);
});
