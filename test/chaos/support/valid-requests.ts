import type { CallOptions, TestApi } from '../../support/api.ts';
import { makePerson } from '../../support/applications.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeProgram,
  sendSale,
  type TestMerchant,
  type TestProgram,
} from '../../support/factories.ts';
import type { ValidRequest } from '../../support/schemathesis/generated-input.ts';

interface Owner {
  merchant: TestMerchant;
  program: TestProgram;
  /** Key of an affiliate in the program. */
  affiliateKey: string;
}

/** The body of a new program that the affiliate may apply to. */
type Settings = Record<string, unknown>;

/** Creates what each operation needs to succeed, which no other operation uses up. */
export const makeValidRequests = async (
  api: TestApi,
  { merchant, program, affiliateKey }: Owner,
  settings: Settings,
): Promise<Record<string, ValidRequest>> => {
  const { programId } = program;
  const create = async (path: string, body?: unknown, more: CallOptions = {}) => {
    const made = await api.call('POST', path, { key: merchant.key, body, ...more });
    if (made.status >= 300) throw new Error(`${path} returned ${made.text}`);
    return made.data;
  };
  const open = () => makeProgram(api, merchant.key, settings);
  const [applied, invited, left] = [await open(), await open(), await open()];
  const apply = async ({ programId }: TestProgram, key: string) => ({
    id: (await create(`/marketplace/apply/${programId}`, {}, { key })).applicationId as string,
  });
  const waiting = async () => apply(applied, await makeAffiliateKey(api.runtime, (await makePerson(api.runtime)).profileId));
  const invite = await create(`/programs/${invited.programId}/invites`, {});
  const payout = async (...verbs: string[]) => {
    const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
    await sendSale(api, program, { referralCode: code });
    const { id } = await create('/payouts', { affiliateId, programId });
    for (const verb of verbs) await create(`/payouts/${id}/${verb}`);
    return { id: id as string };
  };
  const resource = async (kind: string, ...verbs: string[]) => {
    const body =
      kind === 'links'
        ? { title: 'Press kit', url: 'https://acme.example/press' }
        : { title: 'Launch', body: 'New', platforms: ['x'] };
    const { id } = await create(`/programs/${programId}/marketing-resources/${kind}`, body);
    for (const verb of verbs) await create(`/marketing-resources/${id}/${verb}`, { program_id: programId });
    return { id: id as string };
  };
  const flagged = await makeAffiliate(api.runtime, programId);
  const sold = await sendSale(api, program, { referralCode: flagged.code });
  return {
    approveApplication: { path: await waiting() },
    declineApplication: { path: await waiting() },
    blockApplication: { path: await waiting() },
    withdrawApplication: { path: await apply(left, affiliateKey) },
    applyToProgram: { path: { programId: applied.programId } },
    claimInvite: { path: { token: invite.token } },
    createFlag: { body: { affiliateId: flagged.affiliateId, conversionIds: [sold.data.conversionId] } },
    createLink: { query: { program_id: programId } },
    listLinks: { query: { program_id: programId } },
    cancelPayout: { path: await payout() },
    processPayout: { path: await payout() },
    completePayout: { path: await payout('process') },
    failPayout: { path: await payout('process') },
    getPayoutInstructions: { path: await payout('process') },
    retryPayout: { path: await payout('cancel') },
    getMarketingResource: { path: await resource('links') },
    getMyMarketingResource: { path: await resource('links', 'publish') },
    notifyAffiliates: { path: await resource('links', 'publish') },
    publishResource: { path: await resource('links') },
    unpublishResource: { path: await resource('links', 'publish') },
    archiveResource: { path: await resource('links') },
    deleteMarketingResource: { path: await resource('links') },
    updateMarketingResource: { path: await resource('links') },
    updateSocialPost: { path: await resource('social-posts') },
    renderSocialPost: { path: await resource('social-posts', 'publish') },
  };
};
