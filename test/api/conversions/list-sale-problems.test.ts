import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { checkoutSession, sendStripeEvent, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();
const COMPLETED = 'checkout.session.completed';

it('lists what needs a person, newest first: the event, its object, the reason and the sale if there is one', async () => {
  const made = await makeStripeProgram(api);
  const session = checkoutSession({ metadata: { agentref_pid: 'acme' } });
  const [unclear, unreadable] = [stripeEvent(COMPLETED, session), stripeEvent('charge.refunded', { id: 'ch_1' })];
  for (const event of [unclear, unreadable]) await sendStripeEvent(api, made.endpoint, event);
  const { data, meta } = await api.call('GET', '/sale-problems', { key: made.key });
  const [sale] = (await api.call('GET', '/sales', { key: made.key })).data;
  expect(meta.total).toBe(2);
  expect(data).toMatchObject([
    { reason: 'UNREADABLE', eventId: unreadable.id, eventType: 'charge.refunded', objectId: 'ch_1', saleId: null },
    { reason: 'PROGRAM_UNKNOWN', eventId: unclear.id, objectId: session.payment_intent, saleId: sale.id, resolvedAt: null },
  ]);
});

it('filters by whether they are open, and shows nothing of another merchant', async () => {
  const made = await makeStripeProgram(api);
  for (const id of ['ch_1', 'ch_2']) await sendStripeEvent(api, made.endpoint, stripeEvent('charge.refunded', { id }));
  const idsOf = async (open: string, key = made.key) =>
    (await api.call('GET', '/sale-problems', { key, query: { open } })).data.map(({ id }: { id: string }) => id);
  const [second, first] = await idsOf('true');
  await api.call('POST', `/sale-problems/${first}/resolve`, { key: made.key, body: { note: 'Booked by hand' } });
  expect([await idsOf('true'), await idsOf('false')]).toEqual([[second], [first]]);
  expect(await idsOf('true', (await makeMerchant(api.runtime)).key)).toEqual([]);
});
