import { listOpenDifferences } from '../../../src/domains/reconciliation/index.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import {
  compareSandbox,
  findDifferences,
  makePaidPayouts,
  plantDifferences,
  systemOf,
  transferOf,
  useListApi,
} from '../../support/reconciliation.ts';

const api = useListApi();

test('of 1,000 payouts with 50 differences of ten kinds, each is found and named once, and nothing else', async () => {
  const { payouts, key } = await makePaidPayouts(api, 1_000);
  const clean = await compareSandbox(api);
  expect(clean).toMatchObject({ problem: null, payments: 1_000, opened: 0, differences: 0 });
  const planted = await plantDifferences(api, 50);
  const stranger = transferOf({ payoutId: 'invoice', amount: 700, receiver: 'shop@example.com' });
  api.transfers.push({ ...stranger, idempotencyKey: 'invoice-77', reference: 'invoice-77' });

  const report = await compareSandbox(api);
  expect(await findDifferences(api)).toEqual(planted);
  expect(report).toMatchObject({ problem: null, payments: 1_000, opened: 50, differences: 50 });
  const usd = report.totals.find(({ currency }) => currency === 'usd');
  expect(usd?.others).toEqual({ movements: 2, amount: -725 });

  const before = await rowsOf(api, 'select id, created_at from reconciliation_difference order by id');
  expect(await compareSandbox(api)).toMatchObject({ opened: 0, differences: 50 });
  expect(await rowsOf(api, 'select id, created_at from reconciliation_difference order by id')).toEqual(before);

  const shown = (await api.call('GET', '/reconciliation/differences', { key, query: { status: 'open', limit: '100' } })).data;
  expect(shown).toHaveLength(50);
  for (const { title, explanation, nextStep } of shown)
    expect([title, explanation, nextStep].every((text) => text.length > 5)).toBe(true);
  const runs = (await api.call('GET', '/reconciliation/runs', { key })).data;
  expect(runs[0]).toMatchObject({ status: 'completed', payments: 1_000, differences: 50, problem: null });

  api.transfers.splice(
    0,
    api.transfers.length,
    ...payouts.map(({ id, amount, receiver }) => transferOf({ payoutId: id, amount, receiver })),
  );
  await rowsOf(api, `update payout_attempt set outcome = 'paid'`);
  expect(await compareSandbox(api)).toMatchObject({ opened: 0, differences: 0 });
  expect(await listOpenDifferences(systemOf(api), { limit: 10 })).toEqual([]);
  const closed = (await api.call('GET', '/reconciliation/differences', { key, query: { status: 'closed', limit: '100' } })).data;
  expect(closed).toHaveLength(50);
  expect(closed[0].note).toContain('no longer found');
});

test('a provider that does not answer is a line of the run, and closes nothing', async () => {
  const { payouts } = await makePaidPayouts(api, 1);
  api.transfers.splice(
    api.transfers.findIndex(({ reference }) => reference === payouts[0]?.id),
    1,
  );
  expect(await compareSandbox(api)).toMatchObject({ problem: null, opened: 1 });
  api.answer.status = 503;
  expect(await compareSandbox(api)).toMatchObject({ problem: 'provider_unavailable', payments: 0 });
  api.answer.status = 200;
  expect(await findDifferences(api)).toContain(`missing_there ${payouts[0]?.id}`);
});
