import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();

/** As a Mac writes it, with accents as characters of their own. */
const WRITTEN = 'Jos\u0065\u0301 Mu\u0308ller-\u0141ukasz';
const SEARCHES = ['jose muller', 'JOS\u00c9 M\u00dcLLER', 'Jose\u0301', 'M\u00fc', 'lukasz', 'm\u200b\u00fcller'];

const setUp = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  return { key, programId };
};

test('BR12: an affiliate is found by their name however it is typed, and the name is kept in one form', async () => {
  const { key, programId } = await setUp();
  const { data } = await api.call('POST', '/affiliates', {
    key,
    body: { programId, email: `j-${unique()}@blog.example`, name: WRITTEN },
  });
  expect(data.name).toBe(WRITTEN.normalize('NFC'));
  await api.call('POST', '/affiliates', { key, body: { programId, email: `a-${unique()}@blog.example`, name: 'Ada Byron' } });
  for (const search of SEARCHES) {
    const found = await api.call('GET', '/affiliates', { key, query: { search } });
    expect([search, found.data.map(({ id }: { id: string }) => id)]).toEqual([search, [data.id]]);
  }
});

test('BR12: names are sorted without regard to accents', async () => {
  const { key, programId } = await setUp();
  for (const name of ['Emil', '\u00c9mile', 'Zoe', '\u00c4nne', 'Berta'])
    await api.call('POST', '/affiliates', { key, body: { programId, email: `a-${unique()}@blog.example`, name } });
  const { data } = await api.call('GET', '/affiliates', { key, query: { sortBy: 'name' } });
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['\u00c4nne', 'Berta', 'Emil', '\u00c9mile', 'Zoe']);
});

test('BR12: a payout is found by the name of its affiliate', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const { programId } = program;
  const body = { programId, email: `j-${unique()}@blog.example`, name: WRITTEN, paypalEmail: `ok+${unique()}@example.com` };
  const { data: affiliate } = await api.call('POST', '/affiliates', { key, body });
  await sendSale(api, program, { referralCode: affiliate.code });
  const paid = await api.call('POST', '/payouts', { key, body: { affiliateId: affiliate.id, programId } });
  expect(paid.status).toBe(201);
  const queries = SEARCHES.flatMap((search): Record<string, string>[] => [{ q: search }, { name: search }]);
  for (const query of queries) {
    const found = await api.call('GET', '/payouts', { key, query });
    expect([query, found.data.map(({ id }: { id: string }) => id)]).toEqual([query, [paid.data.id]]);
  }
});

test('BR12: a resource is found likewise', async () => {
  const { key, programId } = await setUp();
  const body = { title: 'Fru\u0308hling im Caf\u00e9', url: 'https://acme.example/press' };
  const path = `/programs/${programId}/marketing-resources`;
  const made = await api.call('POST', `${path}/links`, { key, body });
  expect(made.status).toBe(201);
  for (const search of ['fr\u00fchling', 'FRUHLING', 'cafe']) {
    const found = await api.call('GET', path, { key, query: { search } });
    expect([search, found.data.map(({ id }: { id: string }) => id)]).toEqual([search, [made.data.id]]);
  }
});
