import { screeningActivities } from '../../../activities/screening.ts';
import { screenConversions } from '../../../src/domains/flags/use-cases/screening.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { asActivity } from '../../support/as-activity.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeClick,
  makeMerchant,
  makeProgram,
  type SaleFacts,
  saleEvent,
  sendUnscreened,
  unique,
} from '../../support/factories.ts';
import { screenAll } from '../../support/screening.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async (settings: Record<string, unknown> = {}, local?: string) => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, settings);
  const affiliate = await makeAffiliate(api.runtime, program.programId, local);
  const shard = Number.parseInt(affiliate.affiliateId.slice(-1), 16);
  const record = async (facts: SaleFacts = {}): Promise<string> =>
    (await sendUnscreened(api, program, saleEvent({ referralCode: affiliate.code, ...facts }))).data.conversionId;
  const sell = async (facts: SaleFacts = {}): Promise<string> => {
    const id = await record(facts);
    await screenAll(api.runtime);
    return id;
  };
  const flags = async () =>
    rows(
      context().em,
      sql<{ type: string; reason: string; conversions: string[] }>`select f.type, f.details #>> '{evidence,0,reason}' as reason,
          array(select conversion_id from flag_conversion where flag_id = f.id order by conversion_id) as conversions
        from flag f where f.affiliate_id = ${affiliate.affiliateId}::uuid order by f.type`,
    );
  const conversion = async (id: string) => (await api.call('GET', `/conversions/${id}`, { key })).data;
  const pending = async () => (await api.call('GET', '/payouts/pending', { key })).data;
  const pay = () =>
    api.call('POST', '/payouts', { key, body: { affiliateId: affiliate.affiliateId, programId: program.programId } });
  return { ...affiliate, key, program, shard, record, sell, flags, conversion, pending, pay };
};

it('a sale is neither approved nor payable before it is screened', async () => {
  const { record, conversion, pending, pay } = await setUp();
  const id = await record();
  expect(await conversion(id)).toMatchObject({ status: 'pending' });
  expect(await pending()).toEqual([]);
  expect((await pay()).error.details.reason).toBe('NOTHING_PAYABLE');
  await screenAll(api.runtime);
  expect(await conversion(id)).toMatchObject({ status: 'approved' });
  expect(await pending()).toMatchObject([{ pendingAmount: 2_000, heldAmount: 0 }]);
  expect((await pay()).status).toBe(201);
});

it('a sale tells nothing of the payout details that the merchant is not shown', async () => {
  const [owner, other] = [await setUp(), await setUp()];
  const paypalEmail = `paid-${unique()}@example.com`;
  const profile = await makeAffiliateKey(api.runtime, owner.profileId);
  await api.call('PATCH', '/me/payout-info', { key: profile, body: { payoutMethod: 'paypal', paypalEmail } });
  const { email } = (await api.call('GET', '/me', { key: profile })).data.owner;
  const body = { programId: other.program.programId, email };
  const added = (await api.call('POST', '/affiliates', { key: other.key, body })).data;
  const buyer = { id: unique(), email: paypalEmail };
  await sendUnscreened(api, other.program, saleEvent({ referralCode: added.code, customer: buyer }));
  await screenAll(api.runtime);
  expect((await api.call('GET', '/flags', { key: other.key, query: { affiliateId: added.id } })).data).toEqual([]);
});

it('an ordinary sale raises no flag', async () => {
  const { sell, flags } = await setUp();
  await sell();
  expect(await flags()).toEqual([]);
});

it.each(['login', 'PayPal'])(
  'a buyer with the %s address of the affiliate, however it is spelled, is held and not approved',
  async (which) => {
    const name = unique();
    const { key, sell, flags, affiliateId, conversion, pending } = await setUp({}, which === 'PayPal' ? name : undefined);
    await context().em.execute(
      `update affiliate_profile set email = ? where id = (select profile_id from affiliate where id = ?)`,
      [which === 'login' ? `${name}@example.com` : `${unique()}@example.net`, affiliateId],
    );
    const held = await sell({ customer: { id: 'c1', email: `${name.toUpperCase()}+shop@Example.com` } });
    expect(await flags()).toEqual([{ type: 'self_referral', reason: 'buyer_has_email_of_affiliate', conversions: [held] }]);
    const free = await sell();
    const { data: stats } = await api.call('GET', '/conversions/stats', { key });
    expect(stats).toMatchObject({ total: 2, pending: 1, approved: 1, held: 1 });
    expect((await conversion(held)).status).toBe('pending');
    expect((await conversion(free)).status).toBe('approved');
    expect(await pending()).toMatchObject([{ pendingAmount: 2_000, commissionCount: 1 }]);
  },
);

it('a sale right after its click is suspicious', async () => {
  const { sell, flags, program, affiliateId, code } = await setUp();
  const click = await makeClick(api.runtime, { programId: program.programId, affiliateId, code });
  const id = await sell({ clickToken: click.clickToken });
  expect(await flags()).toEqual([{ type: 'suspicious_activity', reason: 'sale_right_after_click', conversions: [id] }]);
});

it('the browser that the merchant reports as metadata is checked for bots', async () => {
  const { sell, flags } = await setUp();
  const id = await sell({ metadata: { userAgent: 'Googlebot/2.1' } });
  expect(await flags()).toEqual([{ type: 'suspicious_activity', reason: 'bot_user_agent', conversions: [id] }]);
});

it('the fiftieth sale of the first day is an anomaly, and the sales before it are not', async () => {
  const { record, flags } = await setUp();
  for (let n = 0; n < 49; n++) await record();
  await screenAll(api.runtime);
  expect(await flags()).toEqual([]);
  const id = await record();
  await screenAll(api.runtime);
  expect(await flags()).toEqual([{ type: 'conversion_anomaly', reason: 'many_conversions_on_first_day', conversions: [id] }]);
});

it('a new affiliate is reviewed where the program asks for it, until trusted', async () => {
  const { sell, flags, affiliateId, key } = await setUp({ reviewNewAffiliates: true });
  const first = await sell();
  const second = await sell();
  expect(await flags()).toEqual([{ type: 'manual_review', reason: 'new_affiliate', conversions: [first, second].sort() }]);
  expect((await api.call('POST', `/affiliates/${affiliateId}/trust`, { key, body: { tier: 'trusted' } })).status).toBe(200);
  await sell();
  expect((await flags()).map(({ conversions }) => conversions.length)).toEqual([2]);
});

it('details that cannot be decrypted ask for a manual review and stop no other conversion', async () => {
  const broken = await setUp();
  const other = await setUp();
  await context().em.execute(
    `update affiliate_profile set payout_details = 'broken' where id = (select profile_id from affiliate where id = ?)`,
    [broken.affiliateId],
  );
  const id = await broken.record();
  const fine = await other.record();
  await screenAll(api.runtime);
  expect(await broken.flags()).toEqual([{ type: 'manual_review', reason: 'rule_failed', conversions: [id] }]);
  expect((await other.conversion(fine)).status).toBe('approved');
});

it('two workers screen each conversion once, in the order of the sales of an affiliate', async () => {
  const { record, shard, affiliateId } = await setUp();
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) ids.push(await record());
  const order: string[] = [];
  const counts = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { screened } = await screenConversions(context(), { shard, limit: 5 });
      order.push(String(screened));
      return screened;
    }),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  const numbers = await rows(
    context().em,
    sql<{
      conversions: number;
    }>`select sum(conversions)::int as conversions from conversion_hour where affiliate_id = ${affiliateId}::uuid`,
  );
  expect(numbers).toEqual([{ conversions: 20 }]);
  const screened = await rows(
    context().em,
    sql<{ id: string }>`select id from conversion where affiliate_id = ${affiliateId}::uuid order by screened_at, id`,
  );
  expect(screened.map(({ id }) => id)).toEqual(ids);
  expect(await verifyLedger(context())).toEqual([]);
});

it('a transaction that fails in the middle of a batch screens and counts nothing, and the next one all of it, once', async () => {
  const { record, shard, affiliateId, flags } = await setUp({ reviewNewAffiliates: true });
  const ids = [await record(), await record()];
  const failing = { ...context(), clock: { now: () => new Date() } };
  const onHold = async () => {};
  let calls = 0;
  const ids7 = failing.ids;
  const broken = {
    ...failing,
    onHold,
    ids: {
      next: () => {
        calls++;
        throw new Error('killed');
      },
    },
  };
  await expect(screenConversions(broken, { shard, limit: 10 })).rejects.toThrow('killed');
  expect([calls, ids7 !== undefined]).toEqual([1, true]);
  expect(await flags()).toEqual([]);
  await screenAll(api.runtime);
  expect(await flags()).toMatchObject([{ conversions: ids.sort() }]);
  const numbers = await rows(
    context().em,
    sql<{
      conversions: number;
    }>`select sum(conversions)::int as conversions from conversion_hour where affiliate_id = ${affiliateId}::uuid`,
  );
  expect(numbers).toEqual([{ conversions: 2 }]);
});

it('a batch takes few statements, whatever its size', async () => {
  const { record, shard } = await setUp();
  for (let n = 0; n < 5; n++) await record();
  expect(await screenConversions(context(), { shard, limit: 10 })).toMatchObject({ screened: 5 });
  expect(await screenConversions(context(), { shard, limit: 10 })).toMatchObject({ screened: 0 });
});

it('a step that runs out of time tells how many conversions wait and since when, and one that does not tells which rules failed', async () => {
  const { record, shard, profileId } = await setUp();
  await context().em.execute(`update affiliate_profile set payout_details = 'broken' where id = ?`, [profileId]);
  for (let n = 0; n < 2; n++) await record();
  const { screenShard: screenNothing } = screeningActivities({ context, budgetMs: 0 });
  expect(await asActivity(screenNothing)({ shard })).toEqual({
    screened: 0,
    more: true,
    waiting: 2,
    waitingSince: expect.stringMatching(/^\d{4}-.*Z$/),
    failedRules: {},
  });
  const { screenShard } = screeningActivities({ context });
  const done = { screened: 2, more: false, waiting: 0, waitingSince: null, failedRules: { self_referral: 2 } };
  expect(await asActivity(screenShard)({ shard })).toEqual(done);
});
