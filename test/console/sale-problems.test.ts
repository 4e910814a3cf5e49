import { PAGES } from '../../src/console/pages/index.ts';
import { actingFor, hiddenFields, pageProblems, useConsole } from '../support/console.ts';
import { checkoutSession, sendStripeEvent, stripeEvent } from '../support/stripe/stripe-events.ts';
import { makeStripeProgram } from '../support/stripe/stripe-programs.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const PROBLEMS = '/console/sale-problems';

const setUp = async () => {
  const made = await makeStripeProgram(api);
  const session = checkoutSession({ metadata: { agentref_pid: 'acme' } });
  const unreadable = stripeEvent('charge.refunded', { id: 'ch_unreadable' });
  await sendStripeEvent(api, made.endpoint, stripeEvent('checkout.session.completed', session));
  await sendStripeEvent(api, made.endpoint, unreadable);
  const by = { session: sessions.open({ merchant: actingFor(made) }) };
  const open = async () => (await api.call('GET', '/sale-problems', { key: made.key, query: { open: 'true' } })).data;
  const send = async (form: string, fields: Record<string, string>) => {
    const { idempotencyKey = '' } = hiddenFields((await pages.get(PROBLEMS, by)).html);
    return pages.post(PROBLEMS, { sentForm: form, idempotencyKey, ...fields }, by);
  };
  return { made, by, open, send, payment: session.payment_intent as string };
};

test('Home counts the payments to check and links to the page that lists them, with their forms', async () => {
  const { by, payment } = await setUp();
  const home = await pages.get('/console', by);
  expect(home.html).toContain(`href="${PROBLEMS}"`);
  expect(home.html).toContain('2 payment events');
  const { status, html } = await pages.get(PROBLEMS, by);
  expect([status, pageProblems(html)]).toEqual([200, []]);
  for (const text of [payment, 'ch_unreadable', 'which program', 'Credit an affiliate', 'Close without a change'])
    expect(html).toContain(text);
});

test('a payment is credited by the code of an affiliate, in any case, and leaves the page; the other is closed', async () => {
  const { made, by, open, send } = await setUp();
  const [unreadable, unclear] = await open();
  const credited = await send('credit', { saleId: unclear.saleId, code: made.code.toUpperCase(), note: 'By phone' });
  expect(credited).toMatchObject({ status: 303, location: PROBLEMS });
  expect((await api.call('GET', '/conversions', { key: made.key })).data).toMatchObject([{ affiliateId: made.affiliateId }]);
  expect((await send('close', { problemId: unreadable.id, note: 'A test of ours' })).status).toBe(303);
  expect(await open()).toEqual([]);
  expect((await pages.get(PROBLEMS, by)).html).toContain('Nothing to check');
  expect((await pages.get('/console', by)).html).not.toContain('payment event');
});

test('a code that nobody has changes nothing, and the page says so', async () => {
  const { open, send, by } = await setUp();
  const [, unclear] = await open();
  const { cookies, status } = await send('credit', { saleId: unclear.saleId, code: 'nobody-has-it', note: 'By phone' });
  expect(status).toBe(303);
  const { html } = await pages.get(PROBLEMS, { ...by, cookies });
  expect(html).toContain('No affiliate has the code nobody-has-it');
  expect(await open()).toHaveLength(2);
});
