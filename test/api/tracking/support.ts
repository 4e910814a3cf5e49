import { randomBytes } from 'node:crypto';
import type { TestApi, TestResponse } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  type TestAffiliate,
  type TestMerchant,
  type TestProgram,
  unique,
} from '../../support/factories.ts';

export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

export interface TestShop extends TestMerchant, TestProgram, TestAffiliate {
  program: TestProgram;
  /** Origin of the website of the program. */
  origin: string;
}

/** A program with a website of its own, and an affiliate. */
export const makeShop = async (api: TestApi, more: Record<string, unknown> = {}): Promise<TestShop> => {
  const merchant = await makeMerchant(api.runtime);
  const origin = `https://shop-${unique()}.example`;
  const program = await makeProgram(api, merchant.key, { website: origin, ...more });
  return { ...merchant, ...program, program, ...(await makeAffiliate(api.runtime, program.programId)), origin };
};

export const visitorId = (): string => `v_${randomBytes(16).toString('hex')}`;

export interface ClickOptions {
  headers?: Record<string, string>;
  from?: string;
  body?: Record<string, unknown>;
}

/** A click that the script reports from the website of the program, with a visitor of its own unless the body names one. */
export const click = (api: TestApi, shop: TestShop, { headers, from, body }: ClickOptions = {}): Promise<TestResponse> =>
  api.raw('POST', '/api/tracking/click', {
    body: JSON.stringify({
      programId: shop.programId,
      pageUrl: `${shop.origin}/pricing?via=${shop.code}`,
      referralCode: shop.code,
      visitorId: visitorId(),
      ...body,
    }),
    headers: { origin: shop.origin, 'user-agent': BROWSER, 'sec-fetch-site': 'cross-site', ...headers },
    ...(from === undefined ? {} : { from }),
  });
