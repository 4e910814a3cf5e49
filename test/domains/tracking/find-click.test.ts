import { findClick } from '../../../src/domains/tracking/index.ts';
import { system } from '../../api/pipeline/support.ts';
import { click, makeShop } from '../../api/tracking/support.ts';
import { useTestApi } from '../../support/api.ts';

const api = useTestApi();

it('a token finds its click, with affiliate, code and time', async () => {
  const shop = await makeShop(api);
  const before = Date.now();
  const { data } = await click(api, shop);
  const found = await findClick(api.runtime.context(system), shop.programId, data.clickToken);
  const id = data.clickToken.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  expect(found).toEqual({ id, affiliateId: shop.affiliateId, linkId: expect.any(String), code: shop.code, at: expect.any(Date) });
  const at = Number(found?.at);
  expect([at >= before, at <= Date.now()]).toEqual([true, true]);
});

it('nothing is found by a token of another program, an unknown one, and a text that is none', async () => {
  const shop = await makeShop(api);
  const other = await makeShop(api);
  const { clickToken } = (await click(api, shop)).data;
  const find = (token: string, programId = shop.programId) => findClick(api.runtime.context(system), programId, token);
  expect(await find(clickToken, other.programId)).toBeNull();
  const texts = [
    '',
    'clk_',
    clickToken.toUpperCase(),
    `${clickToken}0`,
    clickToken.slice(4),
    `clk_${'0'.repeat(32)}`,
    'clk_\u0000',
  ];
  for (const text of [...texts, `clk_0198f1c29a3f7c0e8d21b6a5f4c3e297`]) expect(await find(text)).toBeNull();
});
