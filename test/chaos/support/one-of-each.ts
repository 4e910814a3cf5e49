import type { CallOptions, TestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeKey,
  makeMerchant,
  makeProgram,
  sendSale,
  type TestProgram,
  unique,
} from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import type { KnownValues, ValidRequest } from '../../support/schemathesis/generated-input.ts';
import { makeValidRequests } from './valid-requests.ts';

const WEBSITE = {
  website: 'https://www.acme.example',
  landingPageUrl: 'https://www.acme.example/start',
  allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }],
  allowCustomDestinations: true,
  marketplaceStatus: 'public',
};

export interface OneOfEach {
  keys: { merchant: string; affiliate: string };
  /** What is used by most requests, and what may be revoked, archived or blocked instead. */
  kept: string[];
  spare: Record<string, string>;
  program: TestProgram;
  website: string;
  valid: Record<string, ValidRequest>;
  known: KnownValues[];
}

const MERCHANT_PROGRAM = '^/(programs|api/integrations/events)/\\{';
const MEMBER_PROGRAM = '^/(me/programs|me/earnings|marketplace/apply)/\\{';

/** A merchant with several objects of each kind, and an affiliate in two of its programs, to be used by generated requests. */
export const makeOneOfEach = async (api: TestApi): Promise<OneOfEach> => {
  const merchant = await makeMerchant(api.runtime);
  await rowsOf(api, `update merchant set billing_tier = 'pro' where id = ? returning id`, [merchant.merchantId]);
  const program = await makeProgram(api, merchant.key, WEBSITE);
  const open = await makeProgram(api, merchant.key, WEBSITE);
  const unused = await makeProgram(api, merchant.key);
  const ada = await makeAffiliate(api.runtime, program.programId);
  const [grace, mary] = [
    await makeAffiliate(api.runtime, program.programId),
    await makeAffiliate(api.runtime, program.programId),
  ];
  const affiliate = await makeKey(api.runtime, { ownerId: ada.profileId, keyType: 'affiliate' });
  const create = async (path: string, body?: unknown, key = merchant.key, more: CallOptions = {}) => {
    const made = await api.call('POST', path, { key, body, ...more });
    if (made.status >= 300) throw new Error(`${path} returned ${made.text}`);
    return made.data;
  };
  const sell = async (code?: string) => {
    const saleId = `sale-${unique()}`;
    const facts = code === undefined ? {} : { referralCode: code };
    return { saleId, conversionId: (await sendSale(api, program, { saleId, ...facts })).data.conversionId as string };
  };
  const conversions = [await sell(ada.code), await sell(grace.code), await sell(mary.code)].map(
    ({ conversionId }) => conversionId,
  );
  const unattributed = (await sell()).saleId;
  const [sale] = (await api.call('GET', '/sales', { key: merchant.key, query: { externalSaleId: unattributed } })).data;
  const { programId } = program;
  const payouts = [
    await create('/payouts', { affiliateId: grace.affiliateId, programId }),
    await create('/payouts', { affiliateId: mary.affiliateId, programId }),
  ];
  const flag = await create('/flags', { affiliateId: mary.affiliateId, note: 'Bids on our brand name' });
  const coupon = await create(`/programs/${programId}/coupons`, { affiliateId: ada.affiliateId, code: `C-${unique()}` });
  const invite = await create(`/programs/${programId}/invites`, { isPublic: true, usageLimit: 1_000 });
  const { endpoint } = await create('/webhooks', {
    name: 'Orders',
    url: 'https://1.1.1.1/hook',
    subscribedEvents: ['payout.completed', 'payout.created'],
    schemaVersion: 2,
  });
  const replay = await create(`/webhooks/${endpoint.id}/replay`, { since: new Date(Date.now() - 60_000).toISOString() });
  const resources = `/programs/${programId}/marketing-resources`;
  const post = await create(`${resources}/social-posts`, {
    title: 'Launch',
    body: 'Try it: {{affiliate_link}}',
    platforms: ['x'],
  });
  const copy = await create(`${resources}/swipe-copy`, { title: 'Newsletter', body: 'Use {{affiliate_code}}' });
  await create(`/marketing-resources/${copy.id}/publish`, { program_id: programId });
  const application = await create(`/marketplace/apply/${open.programId}`, { message: 'Gardening' }, affiliate.key);
  const link = await create('/me/links', { name: 'Newsletter' }, affiliate.key, { query: { program_id: programId } });
  const spareKey = await makeKey(api.runtime, { ownerId: merchant.merchantId });

  const affiliates = [ada, grace, mary].map(({ affiliateId }) => affiliateId);
  const ids = (...objects: { id: string }[]) => objects.map(({ id }) => id);
  return {
    keys: { merchant: merchant.key, affiliate: affiliate.key },
    kept: [merchant.keyId, affiliate.keyId, programId, open.programId, ada.affiliateId, grace.affiliateId],
    spare: { revokeApiKey: spareKey.keyId, archiveProgram: unused.programId, blockAffiliate: mary.affiliateId },
    program,
    website: WEBSITE.website,
    valid: await makeValidRequests(api, { merchant, program, affiliateKey: affiliate.key }, WEBSITE),
    known: [
      { parameter: 'path.id', paths: MERCHANT_PROGRAM, values: [programId, open.programId] },
      { parameter: 'path.programId', paths: MERCHANT_PROGRAM, values: [programId] },
      { parameter: 'path.id', paths: MEMBER_PROGRAM, values: [programId] },
      { parameter: 'path.programId', paths: MEMBER_PROGRAM, values: [open.programId] },
      { parameter: 'path.id', paths: '^/affiliates/\\{', values: affiliates },
      { parameter: 'path.id', paths: '^/payouts/\\{', values: ids(...payouts) },
      { parameter: 'path.id', paths: '^/conversions/\\{', values: conversions },
      { parameter: 'path.id', paths: '^/sales/\\{', values: ids(sale) },
      { parameter: 'path.id', paths: '^/flags/\\{', values: ids(flag) },
      { parameter: 'path.id', paths: '^/coupons/\\{', values: ids(coupon) },
      { parameter: 'path.id', paths: '^/webhooks/\\{', values: ids(endpoint) },
      { parameter: 'path.id', paths: '^/webhook-replays/\\{', values: ids(replay) },
      { parameter: 'path.id', paths: '^/(me/)?marketing-resources/(\\{|social-posts)', values: ids(post, copy) },
      { parameter: 'path.id', paths: '^/(me/)?applications/\\{', values: [application.applicationId] },
      { parameter: 'path.id', paths: '^/me/links/\\{', values: ids(link) },
      { parameter: 'path.id', paths: '^/auth/keys/\\{', values: [spareKey.keyId] },
      { parameter: 'path.token', paths: '^/invites/\\{', values: [invite.token] },
      { parameter: 'path.rail', values: ['sandbox'] },
      { parameter: 'path.code', paths: '^/r/\\{', values: [ada.code, link.code] },
      { parameter: 'query.pid', values: [programId] },
      { parameter: 'query.program_id', values: [programId] },
      { parameter: 'query.programId', values: [programId, open.programId] },
      { parameter: 'query.affiliateId', values: affiliates },
      { parameter: 'body.programId', values: [programId, open.programId] },
      { parameter: 'body.program_id', values: [programId] },
      { parameter: 'body.affiliateId', values: affiliates },
      { parameter: 'body.conversionIds[*]', values: conversions },
      { parameter: 'body.referralCode', values: [ada.code] },
      { parameter: 'body.resource_id', values: ids(post, copy) },
    ],
  };
};
