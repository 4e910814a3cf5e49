import { refreshMarketplace } from '../../../src/domains/marketplace/index.ts';
import type { TestApi, TestResponse } from '../../support/api.ts';
import { makeAffiliateKey, sendSale } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { click, makeShop, type TestShop } from '../tracking/support.ts';

/** Computes the figures of all public programs, whenever they were computed last. */
export const refreshAll = async (api: TestApi): Promise<void> => {
  await rowsOf(api, `update marketplace_refresh set due_at = '2020-01-01'`);
  const context = api.runtime.context({ kind: 'system', name: 'test' });
  while ((await refreshMarketplace(context)) > 0);
};

/** A program that is active and public, with an affiliate, this many clicks and sales by the last one. It is ready with the first click. */
export const makePublicShop = async (
  api: TestApi,
  { clicks = 1, sales = 0, ...program }: { clicks?: number; sales?: number; [field: string]: unknown } = {},
): Promise<TestShop & { clickToken: string }> => {
  const shop = await makeShop(api, { marketplaceStatus: 'public', ...program });
  let clickToken = '';
  for (let n = 0; n < clicks; n++) ({ clickToken } = (await click(api, shop)).data);
  const currency = typeof program['currency'] === 'string' ? program['currency'] : 'usd';
  for (let n = 0; n < sales; n++) await sendSale(api, shop.program, { clickToken, currency });
  return { ...shop, clickToken };
};

/** Lists the marketplace with the key of an affiliate. */
export const listAs = (api: TestApi, key: string, query: Record<string, string> = {}): Promise<TestResponse> =>
  api.call('GET', '/marketplace/programs', { key, query });

export const affiliateKeyOf = (api: TestApi, { profileId }: TestShop): Promise<string> =>
  makeAffiliateKey(api.runtime, profileId);
