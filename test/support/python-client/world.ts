import { makePerson } from '../../api/invites/support.ts';
import { makePublicShop, refreshAll } from '../../api/marketplace/support.ts';
import { fileOf } from '../../api/resources/support.ts';
import type { TestApi } from '../api.ts';
import { apply, makePerson as makeProfile } from '../applications.ts';
import { makeAffiliate, makeAffiliateKey, makeKey, makeMerchant, makePayable, makeProgram, unique } from '../factories.ts';
import { raise } from '../flags.ts';
import { rowsOf } from '../rail-payouts.ts';
import { connectInBrowser } from '../stripe/connect-in-browser.ts';
import type { StripeServer } from '../stripe/stripe-server.ts';

const system = { kind: 'system', name: 'test' } as const;

/** A program at Stripe, as its merchant connected it in a browser. */
const makeConnectedProgram = async (api: TestApi, stripe: StripeServer, key: string): Promise<string> => {
  const { programId } = await makeProgram(api, key);
  const { data } = await api.call('POST', `/programs/${programId}/connect-stripe`, { key, body: { method: 'oauth_url' } });
  await connectInBrowser(api, stripe, { authUrl: data.authUrl, account: `acct_${unique()}` });
  return programId;
};

/** What every method of a client needs to succeed once, as `calls.py` reads it. */
export const makeWorld = async (api: TestApi, stripe: StripeServer, baseUrl: string) => {
  const payable = await makePayable(api, { program: { website: 'https://acme.example' } });
  const { merchantId, key, programId, profileId } = payable;
  await rowsOf(api, `update merchant set billing_tier = 'pro' where id = ? returning id`, [merchantId]);
  const allowedLandingPages = [{ path: '/pricing', label: 'Pricing' }];
  await api.call('PATCH', `/programs/${programId}`, { key, body: { allowedLandingPages } });
  const flagged = await makePayable(api, { merchant: payable });
  const { flagId } = await raise(api, flagged);
  const applicationIds = [];
  for (let n = 0; n < 3; n++) {
    const { applicationId } = await apply(api.runtime.context(system), programId, await makeProfile(api.runtime));
    applicationIds.push(applicationId);
  }
  const shop = await makePublicShop(api, { marketplaceCategory: 'Productivity' });
  await refreshAll(api);
  const person = await makePerson(api);
  const other = await makeMerchant(api.runtime);
  return {
    baseUrl,
    merchantKey: key,
    affiliateKey: await makeAffiliateKey(api.runtime, profileId),
    otherMerchantKey: other.key,
    onboardingKey: (await makeKey(api.runtime, { ownerId: other.merchantId, keyType: 'onboarding' })).key,
    personKey: person.key,
    personEmail: person.email,
    programId,
    affiliateId: payable.affiliateId,
    code: payable.code,
    memberId: (await makeAffiliate(api.runtime, programId)).affiliateId,
    publicProgramId: shop.programId,
    connectedProgramId: await makeConnectedProgram(api, stripe, key),
    applicationIds,
    flagId,
    image: fileOf('image/png').toString('hex'),
  };
};
