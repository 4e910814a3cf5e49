import { useOwnApi } from '../../support/api.ts';
import { apply, makeApplication, makePerson } from '../../support/applications.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { decide, MISSING } from './support.ts';

// The owner of the tables may analyze them.
const api = useOwnApi({}, { asOwner: true });

/** A merchant with two programs: two pending applications to the first, a declined one and an invited affiliate in the second. */
const makeFour = async () => {
  const { key } = await makeMerchant(api.runtime);
  const [first, second] = [(await makeProgram(api, key)).programId, (await makeProgram(api, key)).programId];
  const submit = async (programId: string, options: object = {}) => {
    const person = await makePerson(api.runtime, { email: `${unique()}@example.com` });
    const ctx = api.runtime.context({ kind: 'system', name: 'test' });
    return { ...person, ...(await apply(ctx, programId, { ...person, ...options })) };
  };
  const made = [
    await submit(first),
    await submit(first, { source: 'browser' }),
    await submit(second),
    await submit(second, { source: 'invite', skipReview: true }),
  ];
  const ids = made.map(({ applicationId }) => applicationId);
  await decide(api, { applicationId: ids[2] ?? '', key }, 'decline');
  const list = (query: Record<string, string> = {}) => api.call('GET', '/applications', { key, query });
  const idsOf = async (query: Record<string, string>) => {
    const { data, meta } = await list(query);
    const found = data.map(({ id }: { id: string }) => ids.indexOf(id));
    return { found, total: meta.total };
  };
  return { key, first, second, made, ids, list, idsOf };
};

it('lists all applications newest first, as a single one is returned', async () => {
  const { key, ids, list, idsOf } = await makeFour();
  expect(await idsOf({})).toEqual({ found: [3, 2, 1, 0], total: 4 });
  const { data } = await list();
  expect(data[0]).toEqual((await api.call('GET', `/applications/${ids[3]}`, { key })).data);
});

it('filters by program, status and source, also together', async () => {
  const { first, second, idsOf } = await makeFour();
  expect(await idsOf({ programId: first })).toEqual({ found: [1, 0], total: 2 });
  expect(await idsOf({ status: 'pending' })).toEqual({ found: [1, 0], total: 2 });
  expect(await idsOf({ status: 'declined' })).toEqual({ found: [2], total: 1 });
  expect(await idsOf({ status: 'approved', programId: second })).toEqual({ found: [3], total: 1 });
  expect(await idsOf({ status: 'withdrawn' })).toEqual({ found: [], total: 0 });
  expect(await idsOf({ source: 'api' })).toEqual({ found: [2, 0], total: 2 });
  expect(await idsOf({ source: 'browser', programId: second })).toEqual({ found: [], total: 0 });
  expect(await idsOf({ programId: MISSING })).toEqual({ found: [], total: 0 });
});

it('searches part of the name or the email address in any case, and takes wildcards literally', async () => {
  const { made, idsOf } = await makeFour();
  const [one] = made;
  expect(await idsOf({ search: one?.email.slice(2, 10).toUpperCase() ?? '' })).toEqual({ found: [0], total: 1 });
  expect(await idsOf({ search: 'ada byr' })).toEqual({ found: [3, 2, 1, 0], total: 4 });
  expect(await idsOf({ search: 'ada%byr' })).toEqual({ found: [], total: 0 });
  expect(await idsOf({ search: `byron\n${one?.email}` }).catch(() => 'refused')).toBe('refused');
});

it('pages by cursor through all of them', async () => {
  const { ids, list } = await makeFour();
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, meta } = await list({ limit: '3', ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...data.map(({ id }: { id: string }) => id));
    cursor = meta.nextCursor;
    if (!meta.hasMore) break;
  }
  expect(seen).toEqual(ids.toReversed());
});

it('applications of other merchants are not listed', async () => {
  const { programId } = await makeApplication(api);
  const { key } = await makeMerchant(api.runtime);
  const nothing = { status: 200, data: [], meta: { total: 0 } };
  expect(await api.call('GET', '/applications', { key })).toMatchObject(nothing);
  expect(await api.call('GET', '/applications', { key, query: { programId } })).toMatchObject(nothing);
});

it.each<Record<string, string>>([{ status: 'open' }, { source: 'email' }, { programId: 'x' }, { search: '' }, { sort: 'name' }])(
  '400 for %j',
  async (query) => {
    const { key } = await makeMerchant(api.runtime);
    expect(await api.call('GET', '/applications', { key, query })).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  },
);

it('each filter reads one index in the order of the list', async () => {
  const { merchantId, key, programId, profileId } = await makeApplication(api);
  const other = await makeApplication(api);
  const fill = (owner: { merchantId: string; programId: string }, count: number) =>
    rowsOf(
      api,
      `insert into application (id, merchant_id, program_id, profile_id, affiliate_id, status, source, risk_notes, search_text,
         created_at, due_at, decided_at, updated_at)
       select gen_random_uuid(), ?, ?, ?, gen_random_uuid(), (array['declined','withdrawn','approved'])[1 + n % 3],
         (array['api','browser','invite'])[1 + n % 3], '{}', md5(n::text), now() - n * interval '1 minute', now(), now(), now()
       from generate_series(1, ${count}) n`,
      [owner.merchantId, owner.programId, profileId],
    );
  await fill({ merchantId, programId }, 6_000);
  await fill(other, 6_000);
  await rowsOf(api, 'analyze application', []);
  const planOf = async (where: string, values: string[]) =>
    JSON.stringify(
      await rowsOf(
        api,
        `explain (format json) select a.id from application a where ${where} order by a.created_at desc, a.id desc limit 21`,
        values,
      ),
    );
  const plans = {
    application_of_merchant: await planOf('a.merchant_id = ?', [merchantId]),
    application_by_status: await planOf(`a.merchant_id = ? and a.status = 'declined'`, [merchantId]),
    application_by_source: await planOf(`a.merchant_id = ? and a.source = 'invite'`, [merchantId]),
    application_of_program: await planOf('a.merchant_id = ? and a.program_id = ?', [merchantId, programId]),
    application_of_profile: await planOf('a.profile_id = ?', [profileId]),
  };
  for (const [index, plan] of Object.entries(plans)) {
    expect([index, plan]).toEqual([index, expect.stringContaining(index)]);
    expect(plan).not.toContain('"Node Type":"Sort"');
    expect(plan).not.toContain('Seq Scan');
  }
  expect((await api.call('GET', '/applications', { key })).meta.total).toBe(6_001);
});
