import type { TestApi, TestResponse } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';

export const WEBSITE = {
  website: 'https://www.acme.example',
  allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }],
};

/** A person in a program with a website, with a key of their own. */
export const makeMember = async (api: TestApi, settings: Record<string, unknown> = WEBSITE) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, settings);
  const affiliate = await makeAffiliate(api.runtime, program.programId);
  const key = await makeAffiliateKey(api.runtime, affiliate.profileId);
  return { ...program, ...affiliate, key, merchantKey: merchant.key, merchantId: merchant.merchantId };
};

export type Member = Awaited<ReturnType<typeof makeMember>>;

export const createLink = (
  api: TestApi,
  key: string,
  body: Record<string, unknown> = { name: 'Newsletter' },
  query: Record<string, string> = {},
): Promise<TestResponse> => api.call('POST', '/me/links', { key, body, query });

/** Without the first link, which every affiliate has. */
export const listLinks = async (api: TestApi, key: string, query: Record<string, string> = {}): Promise<TestResponse> => {
  const listed = await api.call('GET', '/me/links', { key, query });
  if (listed.status !== 200) return listed;
  return { ...listed, data: listed.data.filter(({ name }: { name: string }) => name !== 'Default link') };
};

export const block = (api: TestApi, { merchantKey, affiliateId }: Member): Promise<TestResponse> =>
  api.call('POST', `/affiliates/${affiliateId}/block`, { key: merchantKey });

export const anySlug = (): string => `slug-${unique()}`;
