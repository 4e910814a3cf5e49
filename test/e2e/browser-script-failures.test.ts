import { withSetting } from '../support/browser.ts';
import { clicksOf, makeShopProgram, newPage, openPage, type ShopProgram, useTrackedShop } from '../support/shop/tracked-shop.ts';

const tracked = useTrackedShop();
const linkTo = ({ url, affiliate }: ShopProgram, page = 'product') => `${url(page)}?via=${affiliate.code}`;

test('with third-party cookies blocked, the attribution works', async () => {
  const program = await makeShopProgram(tracked);
  await withSetting('blockThirdPartyCookies', async (context) => {
    const { page, visit, metadata, errors } = await openPage(context);
    await visit(`${program.url('product', { tls: true })}?via=${program.affiliate.code}`);
    const [click] = await clicksOf(tracked, program);
    expect((await metadata())['agentref_cid']).toBe(click?.token);
    // The setting is in force: a cookie of another site is not stored.
    const other = `https://other.example:${tracked.shop.tlsPort}/third-party`;
    await page.evaluate(`new Promise((done) => { const image = new Image(); image.onerror = done; image.src = '${other}'; })`);
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('third_party');
    expect(errors).toEqual([]);
  });
});

test('with storage blocked, the metadata lasts as long as the page', async () => {
  const program = await makeShopProgram(tracked);
  await withSetting('blockStorage', async (context) => {
    const { visit, metadata, setConsent, debug, errors } = await openPage(context);
    await visit(linkTo(program));
    const [click] = await clicksOf(tracked, program);
    expect((await metadata())['agentref_cid']).toBe(click?.token);
    expect((await debug()).warnings).toEqual(['tracking_verify_failed']);
    await setConsent('denied');
    expect(await metadata()).toEqual({});
    expect(await context.cookies()).toEqual([]);
    expect(errors).toEqual([]);
  });
});

test('in a sandboxed frame, where even reading cookies throws, the page goes on', async () => {
  const program = await makeShopProgram(tracked);
  const { page, errors, context } = await newPage(tracked);
  await page.goto(linkTo(program, 'frame'));
  const frame = page.frames()[1];
  await frame?.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  expect(await frame?.evaluate('AgentRef.getCheckoutMetadata()')).toEqual({});
  expect([await context.cookies(), errors]).toEqual([[], []]);
});

test('a paused or archived program stores nothing; its pages go on', async () => {
  for (const status of ['paused', 'archived']) {
    const program = await makeShopProgram(tracked, { status });
    const { page, visit, cookies, metadata, errors } = await newPage(tracked);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.method()));
    await visit(linkTo(program));
    expect([await cookies(), await metadata(), errors]).toEqual([{}, {}, []]);
    expect(requests).not.toContain('POST');
    expect(await clicksOf(tracked, program)).toEqual([]);
    expect(page.url()).toBe(linkTo(program));
  }
});

test('an unknown program gives a comment, and the page goes on', async () => {
  const program = await makeShopProgram(tracked);
  const { page, errors } = await newPage(tracked);
  await page.goto(linkTo(program).replace(program.programId, '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604'));
  await page.locator('#buy').waitFor();
  expect(await page.evaluate('[typeof AgentRef, document.cookie]')).toEqual(['undefined', '']);
  expect(errors).toEqual([]);
});

test('a click that fails is repeated; ready callbacks do not wait, and the parameter stays until then', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata, debug } = await newPage(tracked);
  let failures = 0;
  await page.route('**/api/tracking/click', (route) => (failures++ === 0 ? route.abort('connectionreset') : route.continue()));
  await visit(linkTo(program));
  expect(await metadata()).toEqual({});
  expect(await debug()).toMatchObject({ pendingReferralCode: program.affiliate.code, warnings: ['direct_click_failed'] });
  expect(page.url()).toBe(linkTo(program));
  await page.waitForURL(program.url('product'));
  const [click, ...others] = await clicksOf(tracked, program);
  expect((await metadata())['agentref_cid']).toBe(click?.token);
  expect([others, (await debug()).warnings]).toEqual([[], []]);
});

test('a click whose response is lost is counted once', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata } = await newPage(tracked);
  let responses = 0;
  await page.route('**/api/tracking/click', async (route) => {
    const response = await route.fetch();
    if (responses++ === 0) await route.abort('connectionreset');
    else await route.fulfill({ response });
  });
  await visit(linkTo(program));
  await page.waitForURL(program.url('product'));
  const clicks = await clicksOf(tracked, program);
  expect(clicks.map(({ token }) => token)).toEqual([(await metadata())['agentref_cid']]);
});

test('a server that does not answer holds ready callbacks up for three seconds at most', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, debug } = await newPage(tracked);
  // Never answered: the browser gives up at the script's deadline.
  await page.route('**/api/tracking/click', () => undefined);
  await visit(linkTo(program));
  expect(await debug()).toMatchObject({ ready: true, warnings: ['direct_click_failed'] });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an earlier attribution survives a click that fails', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata } = await newPage(tracked);
  await visit(linkTo(program));
  const before = await metadata();
  await page.route('**/api/tracking/click', (route) => route.abort('connectionreset'));
  await visit(`${program.url('other')}?via=another-code`);
  expect(await metadata()).toEqual(before);
});

test('a strict content security policy needs the API in script-src and connect-src only', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata } = await newPage(tracked);
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  await visit(linkTo(program, 'strict'));
  expect((await metadata())['agentref_pid']).toBe(program.programId);
  expect(violations).toEqual([]);
});

test('where the policy forbids calls to the API, redirect links work and others warn', async () => {
  const program = await makeShopProgram(tracked);
  const landingPageUrl = program.url('redirects-only');
  await tracked.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { landingPageUrl } });
  const direct = await newPage(tracked);
  await direct.visit(linkTo(program, 'redirects-only'));
  expect(await direct.debug()).toMatchObject({ warnings: ['direct_click_failed'], attribution: null });
  const redirected = await newPage(tracked);
  await redirected.visit(`${tracked.origin}/r/${program.affiliate.code}`);
  const [click] = await clicksOf(tracked, program);
  expect((await redirected.metadata())['agentref_cid']).toBe(click?.token);
});

test('an address bar that cannot be changed is a warning', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata, debug, errors } = await newPage(tracked);
  await page.addInitScript("history.replaceState = () => { throw new DOMException('too many calls', 'SecurityError'); }");
  await visit(linkTo(program));
  expect((await metadata())['agentref_pid']).toBe(program.programId);
  expect([(await debug()).warnings, errors]).toEqual([['cleanup_failed'], []]);
});

test('what a ready callback throws is an error of the page, and the other callbacks run', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, errors } = await newPage(tracked);
  await visit(program.url('product'));
  const ran = await page.evaluate(`new Promise((resolve) => {
    AgentRef.refresh();
    AgentRef.ready(() => { throw new Error('of the page'); });
    AgentRef.ready('no function');
    AgentRef.ready(() => resolve('ran'));
  })`);
  expect(ran).toBe('ran');
  expect(errors.map(({ message }) => message)).toEqual(['of the page']);
});

test('a page that the browser prepares in advance counts when it is shown', async () => {
  const program = await makeShopProgram(tracked);
  const { page } = await newPage(tracked);
  await page.addInitScript("Object.defineProperty(document, 'prerendering', { value: true, configurable: true })");
  await page.goto(linkTo(program), { waitUntil: 'networkidle' });
  expect(await clicksOf(tracked, program)).toEqual([]);
  await page.evaluate("document.dispatchEvent(new Event('prerenderingchange'))");
  await page.waitForURL(program.url('product'));
  expect(await clicksOf(tracked, program)).toHaveLength(1);
});
