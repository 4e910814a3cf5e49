import type { Scope } from '../../../src/contracts/scopes.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { claim, makeInviter, makePerson } from './support.ts';

const api = useTestApi();

test('the invites of the program, newest first, with what became of each', async () => {
  const { invite, list, key, programId } = await makeInviter(api);
  const tokens = [await invite(), await invite({ isPublic: true, usageLimit: 2 }), await invite({ name: 'Third' })];
  await claim(api, await makePerson(api), tokens[0] ?? '');
  await claim(api, await makePerson(api), tokens[1] ?? '');
  await rowsOf(api, `update invite set expires_at = now() - interval '1 minute' where token = ?`, [tokens[2]]);
  const listed = await list();
  expect(listed.data).toMatchObject([
    { token: tokens[2], status: 'expired', usageCount: 0, name: 'Third' },
    { token: tokens[1], status: 'open', usageCount: 1, usageLimit: 2 },
    { token: tokens[0], status: 'used_up', usageCount: 1 },
  ]);
  expect(listed.meta).toEqual({ requestId: expect.any(String) });
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } });
  expect((await list()).data.map(({ status }: { status: string }) => status)).toEqual(['expired', 'program_inactive', 'used_up']);
});

test('all that can be claimed, however old, and the 100 newest of the others', async () => {
  const { invite, list } = await makeInviter(api);
  const oldest = await invite();
  const used = await invite();
  await rowsOf(api, `update invite set usage_count = 1 where token = ?`, [used]);
  await rowsOf(
    api,
    `insert into invite select made.* from invite i, generate_series(1, 150) n, jsonb_populate_record(i, jsonb_build_object(
       'id', gen_random_uuid(), 'token', i.token || n, 'created_at', i.created_at + n * interval '1 second')) made
     where i.token = ?`,
    [used],
  );
  const { data } = await list();
  expect(data).toHaveLength(101);
  expect(data.at(-1)).toMatchObject({ token: oldest, status: 'open' });
  expect(data[0]).toMatchObject({ token: `${used}150`, status: 'used_up' });
});

test('an empty list for a program without invites, 403 for a foreign one', async () => {
  const [one, two] = [await makeInviter(api), await makeInviter(api)];
  expect(await one.list()).toMatchObject({ status: 200, data: [] });
  const foreign = await api.call('GET', `/programs/${two.programId}/invites`, { key: one.key });
  expect(foreign).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});

test.each<[string, { preset: 'readonly' } | { scopes: Scope[] }]>([
  ['a readonly key', { preset: 'readonly' }],
  ['a key that reads affiliates', { scopes: ['affiliates:read'] }],
  [
    'a key with every other scope',
    { scopes: ['affiliates:read', 'programs:write', 'payouts:write', 'invites:claim', 'merchant:manage'] },
  ],
])('%s reads no token: it claims nothing', async (_, of) => {
  const { invite, programId, merchantId, list } = await makeInviter(api);
  const token = await invite({ isPublic: true, usageLimit: 2 });
  const short = `spring-${unique().slice(-6)}`;
  await invite();
  await rowsOf(api, `update invite set token = ? where program_id = ? and token <> ? returning id`, [short, programId, token]);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, ...of });
  const read = await api.call('GET', `/programs/${programId}/invites`, { key });
  expect(read.data.map((each: { token: string }) => each.token)).toEqual(['…', `…${token.slice(-4)}`]);
  expect(read.text).not.toContain(token.slice(0, -4));
  expect((await list()).data.map((each: { token: string }) => each.token)).toEqual([short, token]);
});
