import { SCREENING_LIMITS } from '../../../src/contracts/screening-limits.ts';
import { eraseProfile } from '../../../src/domains/me/erase-profile.steps.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { visitorDigest } from '../../../src/platform/http/browser.ts';
import { BROWSER, click, makeShop } from '../../api/tracking/support.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey, saleEvent, sendUnscreened, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { screenAll } from '../../support/screening.ts';
import { until } from '../../support/until.ts';
import { emailOf, testContext } from '../notifications/support.ts';

const api = useOwnApi();
const OTHER_BROWSER = BROWSER.replace('Chrome/141', 'Chrome/140');

const setUp = async () => {
  const shop = await makeShop(api);
  const key = await makeAffiliateKey(api.runtime, shop.profileId);
  const sessions = () => rowsOf(api, 'select browser from affiliate_session where profile_id = ?', [shop.profileId]);
  const isStored = async (address: string, userAgent: string) => {
    const browser = visitorDigest(api.runtime.cipher, { address, userAgent });
    return (
      await rows(
        api.runtime.context({ kind: 'system', name: 'test' }).em,
        sql`select 1 from affiliate_session where profile_id = ${shop.profileId}::uuid and browser = decode(${browser}, 'hex')`,
      )
    ).length;
  };
  /** The affiliate uses the key in a browser. */
  const signIn = async (from: string, userAgent = BROWSER) => {
    expect((await api.call('GET', '/me', { key, from, headers: { 'user-agent': userAgent } })).status).toBe(200);
    await until(
      'the session is stored',
      () => isStored(from, userAgent),
      (found) => found === 1,
    );
  };
  const follow = async (from: string, userAgent = BROWSER): Promise<string> => {
    const { headers } = await api.raw('GET', `/r/${shop.code}`, { from, headers: { 'user-agent': userAgent } });
    return new URL(String(headers.location)).searchParams.get('agentref_cid') ?? '';
  };
  /** The sale of a click; a minute later, so that it does not come right after it. */
  const reasonsOfSale = async (clickToken: string) => {
    const occurredAt = new Date(Date.now() + 60_000).toISOString();
    const customer = { id: unique(), email: `${unique()}@example.org` };
    await sendUnscreened(api, shop.program, saleEvent({ clickToken, occurredAt, customer }));
    await screenAll(api.runtime);
    return rowsOf(api, `select type, details #>> '{evidence,0,reason}' as reason from flag where affiliate_id = ?`, [
      shop.affiliateId,
    ]);
  };
  return { ...shop, merchantKey: shop.key, key, sessions, signIn, follow, reasonsOfSale };
};

const OWN = [{ type: 'self_referral', reason: 'click_in_browser_of_affiliate' }];

it('a sale from a click in a browser in which the affiliate used a key is a self-referral', async () => {
  const { signIn, follow, reasonsOfSale } = await setUp();
  const from = anyAddress();
  await signIn(from);
  expect(await reasonsOfSale(await follow(from))).toEqual(OWN);
});

it('an own session counts also when the script reports the click, and when the key is used between the click and the screening', async () => {
  const shop = await setUp();
  const from = anyAddress();
  const { data } = await click(api, shop, { from });
  await shop.signIn(from);
  expect(await shop.reasonsOfSale(data.clickToken)).toEqual(OWN);
});

it.each([
  ['another browser at the same address', (from: string) => [from, OTHER_BROWSER] as const],
  ['the same browser at another address', () => [anyAddress(), BROWSER] as const],
])('a sale from a click in %s is fine', async (_name, visitorAt) => {
  const { signIn, follow, reasonsOfSale } = await setUp();
  const from = anyAddress();
  await signIn(from);
  expect(await reasonsOfSale(await follow(...visitorAt(from)))).toEqual([]);
});

it('a sale from a click in the browser of another affiliate is fine', async () => {
  const [own, other] = [await setUp(), await setUp()];
  const from = anyAddress();
  await other.signIn(from);
  expect(await own.reasonsOfSale(await own.follow(from))).toEqual([]);
});

it.each([
  [SCREENING_LIMITS.sessionDays - 0.01, OWN],
  [SCREENING_LIMITS.sessionDays + 0.01, []],
])('a browser that was used %s days ago: %j', async (days, reasons) => {
  const { signIn, follow, reasonsOfSale, profileId } = await setUp();
  const from = anyAddress();
  await signIn(from);
  await rowsOf(api, `update affiliate_session set seen_at = now() - ? * interval '1 day' where profile_id = ?`, [
    days,
    profileId,
  ]);
  expect(await reasonsOfSale(await follow(from))).toEqual(reasons);
});

it('a merchant who added somebody learns nothing of their browsers before they join', async () => {
  const { signIn, follow, reasonsOfSale, affiliateId } = await setUp();
  const setHidden = (isHidden: boolean) =>
    rowsOf(api, 'update affiliate set profile_hidden = ? where id = ?', [isHidden, affiliateId]);
  const from = anyAddress();
  await signIn(from);
  await setHidden(true);
  expect(await reasonsOfSale(await follow(from))).toEqual([]);
  await setHidden(false);
  expect(await reasonsOfSale(await follow(from))).toEqual(OWN);
});

it('programs that use a key, and keys of merchants, leave no session', async () => {
  const own = await setUp();
  await api.call('GET', '/me', { key: own.key, headers: { 'user-agent': 'curl/8.5.0' } });
  await api.call('GET', '/me', { key: own.merchantKey, headers: { 'user-agent': BROWSER } });
  await own.signIn(anyAddress());
  expect(await own.sessions()).toHaveLength(1);
  expect(await rowsOf(api, 'select 1 from affiliate_session where profile_id = ?', [own.merchantId])).toEqual([]);
});

it('of many browsers of one affiliate the newest 20 are kept', async () => {
  const { signIn, sessions } = await setUp();
  for (let n = 0; n < 23; n++) await signIn(anyAddress());
  expect(await sessions()).toHaveLength(20);
});

it('an erasure deletes the browsers of the person, and so does their age', async () => {
  const [erased, old] = [await setUp(), await setUp()];
  for (const { signIn } of [erased, old]) await signIn(anyAddress());
  await eraseProfile(testContext(api.runtime), await emailOf(api.runtime, erased.profileId));
  await rowsOf(api, `update affiliate_session set seen_at = now() - interval '32 days' where profile_id = ?`, [old.profileId]);
  await rowsOf(api, 'select delete_expired_windows(100)');
  expect([await erased.sessions(), await old.sessions()]).toEqual([[], []]);
});
