import fc from 'fast-check';
import { listOpenSaleProblems } from '../../../src/domains/conversions/index.ts';
import { useTestApi } from '../../support/api.ts';
import { checkoutSession, invoice, sendStripeEvent, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();
type Made = Awaited<ReturnType<typeof makeStripeProgram>>;

const send = (made: Made, type: string, object: object) => sendStripeEvent(api, made.endpoint, stripeEvent(type, object));
const fieldsOf = async ({ merchantId }: Made) => {
  const all = await listOpenSaleProblems(api.runtime.context({ kind: 'system', name: 'test' }), { limit: 9_999 });
  return all.filter((problem) => problem.merchantId === merchantId).map(({ reason, fields }) => [reason, fields]);
};

const LONG = 'x'.repeat(60_000);

/** What no payment may be lost for, with the field that is listed as a problem; null: it is as if left out. */
const SESSIONS: [name: string, change: object, field: string | null][] = [
  ['a blank reference', { client_reference_id: '' }, null],
  ['a blank customer', { customer: '' }, null],
  ['a blank address', { customer_details: { email: ' ' } }, null],
  ['no metadata', { metadata: null }, null],
  ['metadata that is no text', { metadata: { agentref_cid: 7, plan: 'pro', deep: { a: 1 } } }, null],
  ['an odd address', { customer_details: { email: 'ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444' } }, null],
  ['an address of 60 KB', { customer_details: { email: `+${LONG}@example.org` } }, 'customer_details.email'],
  ['a reference of 60 KB', { client_reference_id: LONG }, 'client_reference_id'],
  ['discounts of another form', { discounts: [LONG, 7] }, 'discounts'],
  ['metadata of 60 KB', { metadata: { plan: LONG, [LONG]: 'x' } }, null],
];

test.each(SESSIONS)('BR1: a payment with %s is recorded', async (_name, change, field) => {
  const made = await makeStripeProgram(api);
  const session = checkoutSession({ discounts: made.discounts, ...change } as Parameters<typeof checkoutSession>[0]);
  const { status, data } = await send(made, 'checkout.session.completed', session);
  expect([status, ['recorded', 'unattributed'].includes(data.outcome)]).toEqual([200, true]);
  expect(await booksOf(api, String(session.payment_intent))).toMatchObject({ amount: 10_000 });
  expect(await fieldsOf(made)).toEqual(field === null ? [] : [['UNUSABLE_FIELDS', [field]]]);
});

test('BR1: an invoice is recorded whatever its address and its reason are', async () => {
  const made = await makeStripeProgram(api);
  const paid = invoice({ customer_email: LONG, billing_reason: LONG } as object);
  expect((await send(made, 'invoice.paid', paid)).data.outcome).toBe('unattributed');
  expect(await booksOf(api, paid.id)).toMatchObject({ amount: 10_000 });
  expect(await fieldsOf(made)).toEqual([['UNUSABLE_FIELDS', ['billing_reason', 'customer_email']]]);
});

test('BR1: whatever stands for what decides nothing about the money, the payment is recorded', async () => {
  const made = await makeStripeProgram(api);
  const any = fc.jsonValue({ maxDepth: 2 });
  const members = fc.record({ client_reference_id: any, discounts: any, metadata: any, email: any }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(members, async ({ email, ...change }) => {
      const session = checkoutSession({ ...change, customer_details: { email } } as Parameters<typeof checkoutSession>[0]);
      const { status, data } = await send(made, 'checkout.session.completed', session);
      expect([status, data.outcome]).toEqual([200, 'unattributed']);
    }),
    { numRuns: 40 },
  );
});
