import { makeAffiliate } from '../support/factories.ts';
import { clicksOf, HOST, makeShopProgram, newPage, openPage, useTrackedShop } from '../support/shop/tracked-shop.ts';

const tracked = useTrackedShop();
const DAY_SECONDS = 86_400;

test('a referral link becomes a click, cookies on the domain of the website, and a clean address bar', async () => {
  const program = await makeShopProgram(tracked, { cookieDuration: 45 });
  const { page, context, visit, errors } = await newPage(tracked);
  const before = Date.now();
  await visit(`${program.url('product')}?color=dark%20red&via=${program.affiliate.code}&size=#reviews`);
  expect(page.url()).toBe(`${program.url('product')}?color=dark%20red&size=#reviews`);

  const [click, ...others] = await clicksOf(tracked, program);
  expect([click?.affiliateId, others]).toEqual([program.affiliate.affiliateId, []]);
  const cookies = (await context.cookies()).filter(({ name }) => name.startsWith('agentref_'));
  expect(Object.fromEntries(cookies.map(({ name, value }) => [name, value]))).toEqual({
    agentref_cid: click?.token,
    agentref_pid: program.programId,
    agentref_src: 'script_direct',
    agentref_vid: expect.stringMatching(/^v_[0-9a-f]{32}$/),
    agentref_ts: expect.stringMatching(/^\d{13}$/),
  });
  for (const { domain, path, sameSite, secure, httpOnly, expires } of cookies) {
    expect({ domain, path, sameSite, secure, httpOnly }).toEqual({
      domain: '.shop.example',
      path: '/',
      sameSite: 'Lax',
      secure: false,
      httpOnly: false,
    });
    const setAt = 1_000 * (expires - 45 * DAY_SECONDS);
    expect([setAt >= before - 1_000, setAt <= Date.now() + 1_000]).toEqual([true, true]);
  }
  expect(errors).toEqual([]);
});

test('the checkout metadata is there on other pages, on subdomains and after a restart of the page', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata } = await newPage(tracked);
  await visit(`${program.url('product')}?ref=${program.affiliate.code}`);
  const [click] = await clicksOf(tracked, program);
  const expected = { agentref_cid: click?.token, agentref_pid: program.programId, agentref_source: 'script_direct' };
  expect(await metadata()).toEqual(expected);
  await visit(program.url('other'));
  expect(await metadata()).toEqual(expected);
  await visit(program.url('cart', { host: 'checkout.shop.example' }));
  expect(await metadata()).toEqual(expected);
  await page.reload();
  expect(await metadata()).toEqual(expected);
  expect(await clicksOf(tracked, program)).toHaveLength(1);
});

test('a visitor cookie with another text is replaced', async () => {
  const program = await makeShopProgram(tracked);
  const { context, visit, cookies } = await newPage(tracked);
  await context.addCookies([{ name: 'agentref_vid', value: 'x', domain: '.shop.example', path: '/' }]);
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  expect(await clicksOf(tracked, program)).toHaveLength(1);
  expect(await cookies()).toMatchObject({ vid: expect.stringMatching(/^v_[0-9a-f]{32}$/) });
});

test.each([
  '?via=CODE.',
  '?via=CODE%20',
  '?via=CODE/',
  '?color=red&amp;via=CODE',
  '?color=red?via=CODE',
  '?color=50%off&via=CODE%E2%80%8B',
])('BR4: the code of a link that arrives as %s counts, and leaves the address bar', async (query) => {
  const program = await makeShopProgram(tracked);
  const { page, visit, cookies } = await newPage(tracked);
  await visit(`${program.url('product')}${query.replace('CODE', program.affiliate.code)}`);
  const [click, ...others] = await clicksOf(tracked, program);
  expect([click?.affiliateId, others]).toEqual([program.affiliate.affiliateId, []]);
  expect(await cookies()).toMatchObject({ cid: click?.token });
  expect(page.url()).not.toContain('via');
});

test('a parameter without a name is no referral', async () => {
  const program = await makeShopProgram(tracked);
  const { visit, cookies } = await newPage(tracked);
  await visit(`${program.url('product')}?=${program.affiliate.code}`);
  expect(await clicksOf(tracked, program)).toEqual([]);
  expect(await cookies()).toEqual({});
});

test('a visit without a referral stores nothing', async () => {
  const program = await makeShopProgram(tracked);
  const { visit, cookies, metadata, errors, debug } = await newPage(tracked);
  await visit(`${program.url('product')}?a=1&color=red`);
  expect(await cookies()).toEqual({});
  expect(await metadata()).toEqual({});
  expect((await debug()).warnings).toEqual([]);
  expect(errors).toEqual([]);
});

test('a parameter of the website that is no referral code stays in the address bar', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, cookies, debug } = await newPage(tracked);
  await visit(`${program.url('product')}?ref=footer-menu`);
  expect(page.url()).toBe(`${program.url('product')}?ref=footer-menu`);
  expect(await cookies()).toEqual({});
  expect((await debug()).warnings).toEqual([]);
});

test('parameter names that the merchant added are understood', async () => {
  const program = await makeShopProgram(tracked);
  const { status } = await tracked.call('PATCH', '/merchant', { key: program.key, body: { trackingParamAliases: ['partner'] } });
  expect(status).toBe(200);
  const { page, visit } = await newPage(tracked);
  await visit(`${program.url('product')}?partner=${program.affiliate.code}`);
  expect(page.url()).toBe(program.url('product'));
  expect(await clicksOf(tracked, program)).toHaveLength(1);
});

test('the last click wins, and a code that does not count changes nothing', async () => {
  const program = await makeShopProgram(tracked);
  const second = await makeAffiliate(tracked.runtime, program.programId);
  const { visit, metadata, cookies } = await newPage(tracked);
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  const { vid } = await cookies();
  await visit(`${program.url('product')}?via=${second.code}`);
  const clicks = await clicksOf(tracked, program);
  expect(clicks.map(({ affiliateId }) => affiliateId)).toEqual([program.affiliate.affiliateId, second.affiliateId]);
  expect((await metadata())['agentref_cid']).toBe(clicks[1]?.token);
  expect((await cookies())['vid']).toBe(vid);
  await visit(`${program.url('product')}?via=nobody-has-this`);
  expect((await metadata())['agentref_cid']).toBe(clicks[1]?.token);
});

test('a repeated visit by the same link is one click', async () => {
  const program = await makeShopProgram(tracked);
  const { visit, metadata } = await newPage(tracked);
  const link = `${program.url('product')}?via=${program.affiliate.code}`;
  await visit(link);
  const first = await metadata();
  await visit(link);
  expect(await metadata()).toEqual(first);
  expect(await clicksOf(tracked, program)).toHaveLength(1);
});

test('the redirect link brings its click: the script makes no second one', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, cookies } = await newPage(tracked);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await visit(`${tracked.origin}/r/${program.affiliate.code}?utm_source=mail`);
  expect(page.url()).toBe(`${program.url('product')}?color=red&utm_source=mail`);
  const clicks = await clicksOf(tracked, program);
  expect(clicks).toHaveLength(1);
  expect(await cookies()).toMatchObject({ cid: clicks[0]?.token, src: 'script_redirect' });
  expect(requests.filter((url) => url.includes('/api/tracking/click'))).toEqual([]);
});

test('a single-page app tells of a new address by refresh()', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, settled, metadata } = await newPage(tracked);
  await visit(program.url('product'));
  await page.evaluate(`history.pushState({ step: 2 }, '', '?step=2&via=${program.affiliate.code}')`);
  await page.evaluate('AgentRef.refresh()');
  await settled();
  const [click] = await clicksOf(tracked, program);
  expect((await metadata())['agentref_cid']).toBe(click?.token);
  expect(page.url()).toBe(`${program.url('product')}?step=2`);
  expect(await page.evaluate('history.state')).toEqual({ step: 2 });
});

test('many refreshes at once are one click', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, settled, cookies } = await newPage(tracked);
  await visit(program.url('product'));
  await page.evaluate(`history.pushState(null, '', '?via=${program.affiliate.code}')`);
  await page.evaluate('for (let n = 0; n < 5; n++) AgentRef.refresh()');
  await settled();
  const clicks = await clicksOf(tracked, program);
  expect(clicks.map(({ token }) => token)).toEqual([(await cookies())['cid']]);
});

test('a script that is included twice works once', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, errors } = await newPage(tracked);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.addInitScript(
    "addEventListener('DOMContentLoaded', () => document.head.append(document.querySelector('script').cloneNode()))",
  );
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  expect(requests.filter((line) => line === `POST ${tracked.origin}/api/tracking/click`)).toHaveLength(1);
  expect(errors).toEqual([]);
});

test('debug mode prints what happens, by a parameter or by an attribute of the script element', async () => {
  const program = await makeShopProgram(tracked);
  for (const address of [program.url('debug'), `${program.url('product')}?agentref_debug=1`]) {
    const { page, visit } = await newPage(tracked);
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await visit(`${address}${address.includes('?') ? '&' : '?'}via=${program.affiliate.code}`);
    expect(lines.filter((line) => line.startsWith('[AgentRef] click: ok'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('[AgentRef] {programId:'))).toHaveLength(1);
  }
  const { page, visit } = await newPage(tracked);
  const lines: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  expect(lines).toEqual([]);
});

test('on https, cookies are sent over https only', async () => {
  const program = await makeShopProgram(tracked);
  const { context, visit } = await newPage(tracked);
  await visit(`${program.url('product', { tls: true })}?via=${program.affiliate.code}`);
  const cookies = (await context.cookies()).filter(({ name }) => name.startsWith('agentref_'));
  expect(cookies.map(({ secure, domain }) => ({ secure, domain }))).toEqual(
    Array.from({ length: 5 }, () => ({ secure: true, domain: '.shop.example' })),
  );
});

test('a website directly below a public suffix gets cookies of its own host', async () => {
  const program = await makeShopProgram(tracked, { host: 'www.github.io' });
  const { context, visit } = await newPage(tracked);
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  const domains = (await context.cookies()).map(({ domain }) => domain);
  expect(new Set(domains)).toEqual(new Set(['www.github.io']));
  expect(domains).toHaveLength(5);
});

test('a page outside the website stores nothing and warns', async () => {
  const program = await makeShopProgram(tracked);
  for (const host of ['shop.example.org', 'evilshop.example', '127.0.0.1']) {
    const { visit, cookies, metadata, debug, errors } = await newPage(tracked);
    await visit(`${program.url('product', { host })}?via=${program.affiliate.code}`);
    expect((await debug()).warnings).toEqual(['host_outside_website_domain']);
    expect([await cookies(), await metadata(), errors]).toEqual([{}, {}, []]);
  }
  expect(await clicksOf(tracked, program)).toEqual([]);
});

test('two pages of one visitor share the attribution', async () => {
  const program = await makeShopProgram(tracked);
  const first = await newPage(tracked);
  await first.visit(`${program.url('product')}?via=${program.affiliate.code}`);
  const second = await openPage(first.context);
  await second.visit(program.url('other', { host: HOST.replace('www.', '') }));
  expect(await second.metadata()).toEqual(await first.metadata());
});
