import { PAGES } from '../../src/console/pages/index.ts';
import { makeProtected } from '../support/approvals.ts';
import { actingFor, hiddenFields, pageProblems, useConsole } from '../support/console.ts';
import { makeMerchant } from '../support/factories.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const RULES = '/console/settings';
const NOTIFICATIONS = '/console/settings/notifications';

const signInFor = (merchant: { merchantId: string; keyId: string }, ...scopes: Parameters<typeof actingFor>[1][]) => ({
  session: sessions.open({ merchant: actingFor(merchant, ...scopes) }),
});
type Visitor = ReturnType<typeof signInFor>;

const send = async (url: string, form: string, fields: Record<string, string | string[]>, by: Visitor) => {
  const { idempotencyKey = '' } = hiddenFields((await pages.get(url, by)).html);
  return pages.post(url, { sentForm: form, idempotencyKey, ...fields }, by);
};

const valuesOf = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`<input[^>]* name="${name}" value="([^"]*)"`, 'g'))].map(([, value = '']) => value);

test('rules are shown as they are, and a stricter one holds at once', async () => {
  const { settings, ...merchant } = await makeProtected(api);
  const by = signInFor(merchant);
  const { html } = await pages.get(RULES, by);
  expect(pageProblems(html)).toEqual([]);
  expect(valuesOf(html, 'payoutApprovalThreshold')).toEqual(['USD', '50.00', '', '']);
  expect(valuesOf(html, 'payoutDailyLimit')).toEqual(['USD', '900.00', '', '']);
  const stricter = {
    payoutApprovalThreshold: ['USD', '20', 'JPY', '30', '', ''],
    payoutDailyLimit: ['USD', '900.00', '', ''],
    detailsCooldownHours: '72',
  };
  expect(await send(RULES, 'change', stricter, by)).toMatchObject({ status: 303, location: RULES });
  expect(await settings()).toEqual({
    payoutApprovalThreshold: { usd: 2_000, jpy: 30 },
    payoutDailyLimit: { usd: 90_000 },
    detailsCooldownHours: 72,
  });
});

test('a looser rule waits on the page, not for who requested it, and is approved or stopped there', async () => {
  const { settings, other, open, limits, ...merchant } = await makeProtected(api);
  const [by, second] = [signInFor(merchant), signInFor({ ...merchant, keyId: other.keyId })];
  const looser = { payoutApprovalThreshold: ['', ''], payoutDailyLimit: ['usd', '1000'], detailsCooldownHours: '48' };
  expect((await send(RULES, 'change', looser, by)).status).toBe(303);
  expect(await settings()).toEqual(limits);
  const { html } = await pages.get(RULES, by);
  expect(html).toContain('24-hour limit: $1,000.00');
  expect(html).toContain('Approval by a second person: none');
  const waiting = Object.fromEntries((await open()).map(({ setting, id }) => [setting, id]));
  const [threshold = '', limit = ''] = [waiting['payoutApprovalThreshold'], waiting['payoutDailyLimit']];
  const refused = await send(RULES, 'decide', { changeId: limit, decision: 'approve' }, by);
  expect({ status: refused.status, told: refused.html.includes('role="alert"') }).toEqual({ status: 409, told: true });
  expect((await send(RULES, 'decide', { changeId: limit, decision: 'approve' }, second)).status).toBe(303);
  expect((await send(RULES, 'decide', { changeId: threshold, decision: 'stop' }, by)).status).toBe(303);
  expect(await settings()).toEqual({ ...limits, payoutDailyLimit: { usd: 100_000 } });
  expect(await open()).toEqual([]);
  const late = await send(RULES, 'decide', { changeId: threshold, decision: 'approve' }, second);
  expect({ status: late.status, told: late.html.includes('already') }).toEqual({ status: 409, told: true });
});

test.each([
  ['an amount without a currency', ['', '12'], 'must name a currency'],
  ['no currency', ['ABC', '12'], 'must name a currency'],
  ['no amount', ['USD', 'twelve'], 'must be an amount such as 12.50'],
  ['more decimals than the currency has', ['JPY', '1.5'], 'must be an amount'],
  ['one currency twice', ['USD', '12', 'usd', '1200'], 'must name each currency once'],
  ['a negative amount', ['USD', '-1'], 'Approval by a second person'],
])('%s is told beside its field, with what was typed, and changes nothing', async (_, typed, message) => {
  const { settings, limits, ...merchant } = await makeProtected(api);
  const by = signInFor(merchant);
  const fields = { payoutApprovalThreshold: typed, payoutDailyLimit: ['usd', '900'], detailsCooldownHours: '48' };
  const { status, html } = await send(RULES, 'change', fields, by);
  expect(status).toBe(422);
  expect(html).toMatch(new RegExp(`href="#change-payoutApprovalThreshold">[^<]*${message}`));
  expect(valuesOf(html, 'payoutApprovalThreshold').slice(0, typed.length)).toEqual(typed);
  expect(await settings()).toEqual(limits);
});

test.each([
  ['de-AT', 'KWD', '1.234', 'must be an amount such as 1,250'],
  ['en-US', 'KWD', '1,234', 'must be an amount such as 1.250'],
])('in %s, an amount of %s that could be a thousand times more is refused: %s', async (locale, currency, amount, message) => {
  const { settings, limits, ...merchant } = await makeProtected(api);
  const by = { session: sessions.open({ merchant: actingFor(merchant), locale }) };
  const fields = { payoutApprovalThreshold: [currency, amount], payoutDailyLimit: ['USD', '900'], detailsCooldownHours: '48' };
  const { status, html } = await send(RULES, 'change', fields, by);
  expect(status).toBe(422);
  expect(html).toContain(message);
  expect(await settings()).toEqual(limits);
});

test('an amount is read as the page writes it, in every numbering', async () => {
  const { settings, limits, ...merchant } = await makeProtected(api);
  const by = { session: sessions.open({ merchant: actingFor(merchant), locale: 'ar-EG' }) };
  const { html } = await pages.get(RULES, by);
  const [payoutApprovalThreshold, payoutDailyLimit] = [
    valuesOf(html, 'payoutApprovalThreshold'),
    valuesOf(html, 'payoutDailyLimit'),
  ];
  const fields = { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours: '48' };
  expect((await send(RULES, 'change', fields, by)).status).toBe(303);
  expect(await settings()).toEqual(limits);
});

test('a page that was opened before somebody lowered a limit does not ask to raise it again', async () => {
  const { settings, open, limits, ...merchant } = await makeProtected(api);
  const by = signInFor(merchant);
  const { html } = await pages.get(RULES, by);
  const { shown = '', idempotencyKey = '' } = hiddenFields(html);
  const rules = {
    payoutApprovalThreshold: valuesOf(html, 'payoutApprovalThreshold'),
    payoutDailyLimit: valuesOf(html, 'payoutDailyLimit'),
  };
  const lower = { ...rules, payoutApprovalThreshold: ['USD', '20'], detailsCooldownHours: '48' };
  expect((await send(RULES, 'change', lower, by)).status).toBe(303);
  const stale = {
    sentForm: 'change',
    idempotencyKey,
    shown: shown.replaceAll('&quot;', '"'),
    ...rules,
    detailsCooldownHours: '96',
  };
  expect((await pages.post(RULES, stale, by)).status).toBe(303);
  expect(await open()).toEqual([]);
  expect(await settings()).toEqual({ ...limits, payoutApprovalThreshold: { usd: 2_000 }, detailsCooldownHours: 96 });
});

test.each(['', '{', 'null', '7'])(
  'where the page does not say what it showed but %j, all rules become what was sent',
  async (shown) => {
    const { settings, ...merchant } = await makeProtected(api);
    const rules = { payoutApprovalThreshold: ['USD', '20'], payoutDailyLimit: ['USD', '900'], detailsCooldownHours: '72' };
    expect((await send(RULES, 'change', { ...rules, shown }, signInFor(merchant))).status).toBe(303);
    expect(await settings()).toMatchObject({ payoutApprovalThreshold: { usd: 2_000 }, detailsCooldownHours: 72 });
  },
);

test('notifications are switched, and who may not manage the company sees no form', async () => {
  const merchant = await makeMerchant(api.runtime);
  const by = signInFor(merchant);
  const { html } = await pages.get(NOTIFICATIONS, by);
  expect(pageProblems(html)).toEqual([]);
  expect((await send(NOTIFICATIONS, 'main', { newConversion: 'on', weeklyDigest: 'on' }, by)).status).toBe(303);
  expect((await api.call('GET', '/merchant/notifications', { key: merchant.key })).data).toEqual({
    newAffiliate: false,
    newConversion: true,
    commissionApproved: false,
    payoutProcessed: false,
    weeklyDigest: true,
  });
  const reader = signInFor(merchant, ['merchant:read']);
  for (const url of [RULES, NOTIFICATIONS]) {
    const read = await pages.get(url, reader);
    expect({ url, status: read.status, forms: read.html.includes('sentForm') }).toEqual({ url, status: 200, forms: false });
  }
});
