import { makeShopProgram, newPage, useTrackedShop } from '../support/shop/tracked-shop.ts';

const tracked = useTrackedShop();

test('Stripe Payment Links, buy buttons and pricing tables carry the click token', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata } = await newPage(tracked);
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  const { agentref_cid: token = '' } = await metadata();
  expect(await page.locator('#link').getAttribute('href')).toBe(
    `https://buy.stripe.com/test_1?prefilled_email=ada%40example.com&client_reference_id=${token}`,
  );
  expect(await page.locator('#button').getAttribute('client-reference-id')).toBe(token);
  expect(await page.locator('#own').getAttribute('href')).not.toContain(token);
});

test('a reference of the website itself stays, with a warning', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, debug } = await newPage(tracked);
  await visit(`${program.url('cart')}?via=${program.affiliate.code}`);
  expect(await page.locator('#taken').getAttribute('href')).toBe('https://buy.stripe.com/test_2?client_reference_id=cart-7');
  expect((await debug()).warnings).toEqual(['stripe_payment_link_rewrite_failed']);
});

test('links that are added or changed later carry the token when they are used', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit, metadata } = await newPage(tracked);
  await visit(`${program.url('product')}?via=${program.affiliate.code}`);
  const { agentref_cid: token = '' } = await metadata();
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<p><a id="later" href="https://buy.stripe.com/test_3"><b>Pay later</b></a></p>')`);
  await page.route('https://buy.stripe.com/**', (route) => route.fulfill({ body: 'Stripe' }));
  await page.locator('#later b').click();
  await page.waitForURL('https://buy.stripe.com/**');
  expect(page.url()).toBe(`https://buy.stripe.com/test_3?client_reference_id=${token}`);
});

test('without an attribution, links stay as they are', async () => {
  const program = await makeShopProgram(tracked);
  const { page, visit } = await newPage(tracked);
  await visit(program.url('product'));
  expect(await page.locator('#link').getAttribute('href')).toBe(
    'https://buy.stripe.com/test_1?prefilled_email=ada%40example.com',
  );
  expect(await page.locator('#button').getAttribute('client-reference-id')).toBeNull();
});
