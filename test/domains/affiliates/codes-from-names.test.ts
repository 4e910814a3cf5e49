import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { click } from '../../api/tracking/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async () => {
  const merchant = await makeMerchant(api.runtime);
  const origin = `https://shop-${unique()}.example`;
  const program = await makeProgram(api, merchant.key, { website: origin });
  const add = (name: string | undefined, more: Record<string, unknown> = {}) =>
    api.call('POST', '/affiliates', {
      key: merchant.key,
      body: {
        programId: program.programId,
        email: `p-${unique()}@blog.example`,
        ...(name === undefined ? {} : { name }),
        ...more,
      },
    });
  return { ...merchant, ...program, program, origin, add };
};

test.each([
  ['Nina Petrović', /^nina\d{2}$/],
  ['  josé müller', /^jose\d{2}$/],
  ['Łukasz', /^lukasz\d{2}$/],
  ['O. Henry', /^henry\d{2}$/],
  ['Bartholomew-Maximilian-Ferdinand', /^bartholomew\d{2}$/],
  ['Admin Istrator', /^[a-z2-9]{10}$/],
  ['山田太郎', /^[a-z2-9]{10}$/],
  ['12345', /^[a-z2-9]{10}$/],
  [undefined, /^[a-z2-9]{10}$/],
])('IN13: the code of %p is made from the name, or random', async (name, code) => {
  const { add } = await setUp();
  expect((await add(name)).data.code).toMatch(code);
});

test('IN13: a hundred people of one name have codes of their own, which stay short', async () => {
  const { programId } = await setUp();
  const codes: string[] = [];
  for (let n = 0; n < 100; n++) {
    const person = { programId, email: `q-${unique()}@blog.example`, name: 'Quentin', source: 'api' } as const;
    codes.push((await createAffiliate(context(), person)).code);
  }
  expect(new Set(codes).size).toBe(100);
  expect(codes.filter((code) => !/^quentin\d{2,6}$/.test(code))).toEqual([]);
});

test('IN13: the first link has the code of the affiliate, chosen or not', async () => {
  const { add, key } = await setUp();
  const chosen = `nina-${unique()}`;
  for (const more of [{}, { code: chosen }]) {
    const { data } = await add('Nina', more);
    const links = await api.call('GET', `/affiliates/${data.id}/links`, { key });
    expect(links.data).toMatchObject([{ name: 'Default link', code: data.code }]);
  }
});

test('IN13: erasure replaces codes that were made from the name, and those of clicks, and keeps chosen ones', async () => {
  const shop = await setUp();
  const email = `nina-${unique()}@blog.example`;
  const { data: named } = await shop.add('Nina', { email });
  const [chosen, other] = [`chosen-${unique()}`, `p-${unique()}@blog.example`];
  const { data: choosing } = await shop.add('Nina', { email: other, code: chosen });
  for (const { code } of [named, choosing]) {
    const target = { ...shop, code, affiliateId: named.id } as never;
    expect((await click(api, target)).data.status).toBe('ok');
  }
  for (const address of [email, other]) await erasePerson(context(), { email: address });
  const codeOf = async (id: string): Promise<string> => (await api.call('GET', `/affiliates/${id}`, { key: shop.key })).data.code;
  expect(await codeOf(choosing.id)).toBe(chosen);
  const replaced = await codeOf(named.id);
  expect(replaced).toMatch(/^e-[0-9a-f]{12}$/);
  expect((await api.call('GET', `/affiliates/${named.id}/links`, { key: shop.key })).data).toMatchObject([
    { code: replaced, totalClicks: 1 },
  ]);
  const left = await firstRow(
    context().em,
    sql<{
      count: number;
    }>`select (select count(*) from affiliate where search_text like '%' || ${named.code} || '%' or code = ${named.code})
      + (select count(*) from link where code = ${named.code}) + (select count(*) from click where code = ${named.code})
      + (select count(*) from click_total where code = ${named.code})
      + (select count(*) from click_count where code = ${named.code}) as count`,
  );
  expect(left).toEqual({ count: 0 });
  const target = { ...shop, code: named.code, affiliateId: named.id } as never;
  expect((await click(api, target)).data).toMatchObject({ status: 'ignored', reason: 'AFFILIATE_ERASED' });
  expect((await shop.add('Nina', { code: named.code })).error.details.reason).toBe('CODE_TAKEN');
});
