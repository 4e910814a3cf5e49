import {
  clicksOf,
  makeShopProgram,
  newPage,
  openPage,
  requireConsent,
  type ShopProgram,
  useTrackedShop,
} from '../support/shop/tracked-shop.ts';

const tracked = useTrackedShop();

const makeConsentProgram = async (): Promise<ShopProgram & { link: string }> => {
  const program = await makeShopProgram(tracked);
  await requireConsent(tracked, program);
  return { ...program, link: `${program.url('product')}?via=${program.affiliate.code}&color=red` };
};

test('without a decision: no cookie, no click, no metadata; ready callbacks run, and the parameter stays', async () => {
  const program = await makeConsentProgram();
  const { page, visit, cookies, metadata, debug } = await newPage(tracked);
  await visit(program.link);
  expect([await cookies(), await metadata(), await clicksOf(tracked, program)]).toEqual([{}, {}, []]);
  expect(await debug()).toMatchObject({ consent: null, ready: true, warnings: ['consent_pending'] });
  expect(page.url()).toBe(program.link);
});

test('consent that is given later counts the visit, also after the address has changed', async () => {
  const program = await makeConsentProgram();
  const { page, visit, setConsent, metadata, debug } = await newPage(tracked);
  await visit(program.link);
  await page.evaluate("history.pushState(null, '', '/elsewhere?step=2')");
  await setConsent('granted');
  const [click] = await clicksOf(tracked, program);
  expect(click?.affiliateId).toBe(program.affiliate.affiliateId);
  expect((await metadata())['agentref_cid']).toBe(click?.token);
  expect((await debug()).warnings).toEqual([]);
  expect(new URL(page.url()).search).toBe('?step=2');
});

test('consent is remembered on the next pages', async () => {
  const program = await makeConsentProgram();
  const { page, visit, setConsent, cookies } = await newPage(tracked);
  await visit(program.url('product'));
  await setConsent('granted');
  expect(await page.evaluate("localStorage.getItem('agentref_consent')")).toBe('granted');
  expect(await cookies()).toEqual({});
  await visit(program.link);
  expect(await cookies()).toMatchObject({ pid: program.programId });
});

test('refused: nothing is stored and no click is sent', async () => {
  const program = await makeConsentProgram();
  const { visit, setConsent, cookies, metadata, debug } = await newPage(tracked);
  await visit(program.link);
  await setConsent('denied');
  await visit(program.link);
  expect([await cookies(), await metadata(), await clicksOf(tracked, program)]).toEqual([{}, {}, []]);
  expect((await debug()).warnings).toEqual([]);
});

test('withdrawn: the cookies are cleared at once, and the payment links', async () => {
  const program = await makeConsentProgram();
  const { page, visit, setConsent, cookies, metadata } = await newPage(tracked);
  await visit(program.link);
  await setConsent('granted');
  const reference = () => page.locator('#link').getAttribute('href');
  expect(await reference()).toContain('client_reference_id=clk_');
  await setConsent('denied');
  expect([await cookies(), await metadata()]).toEqual([{}, {}]);
  expect(await reference()).toBe('https://buy.stripe.com/test_1?prefilled_email=ada%40example.com');
});

test('a decision in another tab counts in this one', async () => {
  const program = await makeConsentProgram();
  const first = await newPage(tracked);
  await first.visit(program.link);
  await first.setConsent('granted');
  const second = await openPage(first.context);
  await second.visit(program.url('other'));
  await second.setConsent('denied');
  expect(await first.metadata()).toEqual({});
});

test('a decision while the click is on its way counts', async () => {
  const program = await makeConsentProgram();
  const { page, visit, setConsent, settled, cookies, metadata } = await newPage(tracked);
  await page.route('**/api/tracking/click', async (route) => {
    const response = await route.fetch();
    await page.evaluate("AgentRef.setConsent('denied')");
    await route.fulfill({ response });
  });
  await visit(program.link);
  await setConsent('granted');
  await settled();
  expect([await cookies(), await metadata()]).toEqual([{}, {}]);
});

test('consent that is withdrawn and given again counts the next visit', async () => {
  const program = await makeConsentProgram();
  const { visit, setConsent, metadata } = await newPage(tracked);
  await visit(program.link);
  for (const decision of ['granted', 'denied', 'granted'] as const) await setConsent(decision);
  expect(await metadata()).toEqual({});
  await visit(program.link);
  expect((await metadata())['agentref_pid']).toBe(program.programId);
});

test('anything but granted and denied is no decision', async () => {
  const program = await makeConsentProgram();
  const { page, visit, debug, errors } = await newPage(tracked);
  await visit(program.link);
  await page.evaluate("for (const value of [true, 'yes', 'Granted', null, undefined, {}]) AgentRef.setConsent(value)");
  expect((await debug()).consent).toBeNull();
  expect([await clicksOf(tracked, program), errors]).toEqual([[], []]);
});

test('where no consent is required, a visitor who declines is respected all the same', async () => {
  const program = await makeShopProgram(tracked);
  const link = `${program.url('product')}?via=${program.affiliate.code}`;
  const { visit, setConsent, cookies, metadata } = await newPage(tracked);
  await visit(link);
  expect(await clicksOf(tracked, program)).toHaveLength(1);
  await setConsent('denied');
  await visit(link);
  expect([await cookies(), await metadata()]).toEqual([{}, {}]);
  expect(await clicksOf(tracked, program)).toHaveLength(1);
});
