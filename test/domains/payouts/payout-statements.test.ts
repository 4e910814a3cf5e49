import { payByRail, railSteps, transferOf, useRailApi } from '../../support/rail-payouts.ts';
import { recordStatements, type StatementsOf } from '../../support/statements.ts';

const api = useRailApi();
let statementsOf: StatementsOf;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
});

const countLocking = (statements: readonly string[]): number =>
  statements.filter((text) => /\bfor (no key )?update\b/i.test(text)).length;

it('a payout takes a bounded number of statements, one of them locking in each transaction, and no value is in their text', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const { affiliateId, programId, key, act } = await payByRail(api);
  await act('cancel');
  let payoutId = '';
  const create = await statementsOf(async () => {
    const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    payoutId = created.data.id;
  });
  const { send, notify, load } = railSteps(api, payoutId, key);
  const record = { reference: payoutId, amount: 2000, currency: 'usd' };
  const steps = {
    create,
    send: await statementsOf(send),
    notify: await statementsOf(() => notify('paid', { record })),
    repeat: await statementsOf(() => notify('paid', { record })),
  };
  expect(await load()).toMatchObject({ status: 'completed' });
  const counts = Object.fromEntries(Object.entries(steps).map(([step, statements]) => [step, statements.length]));
  const locking = Object.fromEntries(Object.entries(steps).map(([step, statements]) => [step, countLocking(statements)]));
  const bounds = { create: 13, send: 17, notify: 14, repeat: 2 };
  expect(Object.entries(bounds).filter(([step, bound]) => (counts[step] ?? 0) > bound)).toEqual([]);
  // Each transaction locks once, and a notification that changes nothing not at all.
  expect(locking).toEqual({ create: 1, send: 2, notify: 1, repeat: 0 });
  const all = Object.values(steps).flat();
  expect(all.filter((text) => [payoutId, affiliateId, programId].some((value) => text.includes(value)))).toEqual([]);
});
