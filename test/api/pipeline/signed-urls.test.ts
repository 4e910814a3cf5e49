import { CSV_DOWNLOADS } from '../../../src/api/csv-downloads.ts';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, sendSale } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeBankPayouts } from '../bank-files/support.ts';
import { addMember } from '../payout-runs/support.ts';
import { fileOf, makeFile, openUpload } from '../resources/support.ts';

const api = useTestApi();

/** A merchant with a paid payout, a run and a published file, and their affiliate. */
const setUp = async () => {
  const paid = await makeManualPayout(api);
  for (const verb of ['process', 'complete']) expect((await paid.act(verb)).status).toBe(200);
  await rowsOf(api, `update merchant set billing_tier = 'pro' where id = ? returning id`, [paid.merchantId]);
  await sendSale(api, paid.program, { referralCode: paid.code });
  const run = await api.call('POST', '/payout-runs', { key: paid.key, body: {} });
  const file = await makeFile(api, paid, { status: 'published' });
  return { ...paid, runId: run.data.id, file, affiliateKey: await makeAffiliateKey(api.runtime, paid.profileId) };
};

type SetUp = Awaited<ReturnType<typeof setUp>>;

interface SignedUrl {
  by: 'merchant' | 'affiliate';
  create(made: SetUp): Promise<string>;
  method?: 'PUT';
  /** Whether a blocked affiliate may still open it. */
  isOpenToBlocked: boolean;
}

const got =
  (path: (made: SetUp) => string, by: 'key' | 'affiliateKey' = 'key') =>
  async (made: SetUp): Promise<string> =>
    (await api.call('GET', path(made), { key: made[by] })).data.url;

const posted =
  (path: string, by: 'key' | 'affiliateKey') =>
  async (made: SetUp): Promise<string> => {
    const body = { program_id: made.programId, resource_id: made.file };
    return (await api.call('POST', path, { key: made[by], body })).data.url;
  };

/** A merchant's URL does not depend on the affiliate. */
const merchants = { by: 'merchant', isOpenToBlocked: true } as const;

const SIGNED: Readonly<Record<string, SignedUrl>> = {
  payouts: { ...merchants, create: got(() => '/payouts/export') },
  'payout-run': { ...merchants, create: got(({ runId }) => `/payout-runs/${runId}/export`) },
  'payment-file': {
    ...merchants,
    async create({ key, program, runId }) {
      const { affiliateId } = await addMember(api, program);
      const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
      await api.call('POST', `/payouts/${data.id}/process`, { key });
      await rowsOf(api, 'update payout set payout_run_id = ? where id = ? returning id', [runId, data.id]);
      return (await api.call('GET', `/payout-runs/${runId}/file`, { key })).data.url;
    },
  },
  'bank-file': {
    ...merchants,
    async create(made) {
      const { make } = await makeBankPayouts(api, ['Ada Example'], { merchant: made });
      const { data } = await make();
      return (await api.call('GET', `/bank-files/${data.files[0].id}/content`, { key: made.key })).data.url;
    },
  },
  'audit-log': { ...merchants, create: got(() => '/audit-log/export') },
  journal: { ...merchants, create: got(() => '/ledger/export') },
  remittance: { ...merchants, create: got(({ payoutId }) => `/payouts/${payoutId}/remittance`) },
  'own remittance': {
    by: 'affiliate',
    create: got(({ payoutId }) => `/me/payouts/${payoutId}/remittance`, 'affiliateKey'),
    // What was paid remains readable.
    isOpenToBlocked: true,
  },
  download: { ...merchants, create: posted('/marketing-resources/download-url', 'key') },
  'own download': {
    by: 'affiliate',
    create: posted('/me/marketing-resources/download-url', 'affiliateKey'),
    isOpenToBlocked: false,
  },
  upload: {
    ...merchants,
    method: 'PUT',
    create: async (made) => (await openUpload(api, made, null, { mimeType: 'application/pdf' })).session.signed_url,
  },
};

const open = async (url: string, { method }: SignedUrl): Promise<number> => {
  const { pathname, search } = new URL(url);
  const sent = method ? { headers: { 'content-type': 'application/pdf' }, payload: fileOf('application/pdf') } : {};
  return (await api.app.inject({ method: method ?? 'GET', url: pathname + search, remoteAddress: anyAddress(), ...sent }))
    .statusCode;
};

test('every CSV file is in the table', () => {
  expect(Object.keys(SIGNED)).toEqual(expect.arrayContaining(CSV_DOWNLOADS.map(({ name }) => name)));
});

describe.each(Object.entries(SIGNED))('the signed URL of: %s', (_name, signed) => {
  test.each([
    ['was revoked', 'revoked_at = now()'],
    ['expired', `expires_at = now() - interval '1 second'`],
  ])('opens while its key is valid, and is 403 once the key %s', async (_what, change) => {
    const made = await setUp();
    const [first, second] = [await signed.create(made), await signed.create(made)];
    expect(await open(first, signed)).toBe(200);
    const [key] = await rowsOf(api, `update api_key set ${change} where owner_id = ? returning id`, [
      signed.by === 'merchant' ? made.merchantId : made.profileId,
    ]);
    expect(key).toBeDefined();
    expect(await open(second, signed)).toBe(403);
  });

  test(`the URL is ${signed.isOpenToBlocked ? 'open' : 'closed'} to an affiliate who was blocked`, async () => {
    const made = await setUp();
    const url = await signed.create(made);
    await api.call('POST', `/affiliates/${made.affiliateId}/block`, { key: made.key, body: {} });
    expect(await open(url, signed)).toBe(signed.isOpenToBlocked ? 200 : 403);
  });
});
