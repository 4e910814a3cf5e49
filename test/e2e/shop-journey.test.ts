import {
  clicksOf,
  makeShopProgram,
  newPage,
  requireConsent,
  type ShopPage,
  useTrackedShop,
} from '../support/shop/tracked-shop.ts';

const tracked = useTrackedShop();

/** Buys on the page: the shop's server signs the sale and sends it. */
const buy = async ({ page }: ShopPage) => {
  await page.locator('#buy').click();
  const order = page.locator('#order');
  await order.filter({ hasText: 'status' }).waitFor();
  return JSON.parse((await order.textContent()) ?? '');
};

test("a visitor comes by a link, agrees, looks around and buys: the commission is the affiliate's, and its evidence is the click", async () => {
  const program = await makeShopProgram(tracked);
  await requireConsent(tracked, program);
  const shopper = await newPage(tracked);
  await shopper.visit(`${program.url('product')}?via=${program.affiliate.code}&utm_source=blog`);
  await shopper.setConsent('granted');
  await shopper.page.locator('#own').click();
  await shopper.page.waitForURL(program.url('other'));
  await shopper.settled();
  const [click] = await clicksOf(tracked, program);
  const { metadata, sent, status, reply } = await buy(shopper);
  expect(metadata).toEqual({
    agentref_cid: click?.token,
    agentref_pid: program.programId,
    agentref_source: 'script_direct',
  });
  expect(sent.clickToken).toBe(click?.token);
  expect(status).toBe(200);
  expect(reply.data).toEqual({ outcome: 'recorded', conversionId: expect.any(String) });
  const { data } = await tracked.call('GET', `/conversions/${reply.data.conversionId}`, { key: program.key });
  expect(data).toMatchObject({ affiliateId: program.affiliate.affiliateId, method: 'cookie' });
  expect(data.commission).toBeGreaterThan(0);
  expect(shopper.errors).toEqual([]);
});

test('a visitor who refuses buys like anybody: the sale names nobody', async () => {
  const program = await makeShopProgram(tracked);
  await requireConsent(tracked, program);
  const shopper = await newPage(tracked);
  await shopper.visit(`${program.url('product')}?via=${program.affiliate.code}`);
  await shopper.setConsent('denied');
  const { metadata, sent, reply } = await buy(shopper);
  expect([metadata, sent.clickToken]).toEqual([{}, undefined]);
  expect(reply.data).toEqual({ outcome: 'unattributed', conversionId: null, reason: 'NO_MATCH' });
});
