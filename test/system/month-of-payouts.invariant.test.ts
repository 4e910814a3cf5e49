import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { seededRandom } from '../chaos/support/seeded-random.ts';
import { paidPayouts } from '../support/paid-payouts.ts';
import { CURRENCIES, openPayoutMonth } from '../support/payout-month.ts';
import { FAST_TIMING, useTestSystem } from '../support/system.ts';
import { pause, until } from '../support/until.ts';

const SEED = Number(process.env['SEED'] ?? 20_260_131);
const DAYS = 30;

const system = useTestSystem({
  timing: { ...FAST_TIMING, remindAfterMs: [] },
  sandbox: { returnMs: 300 },
  reconcile: { everyMs: 300, graceMs: 0 },
});
const { handleOf, reset, copy, sumOfList } = paidPayouts(system);
const context = () => system.runtime.context({ kind: 'system', name: 'test' });

/** Ids of workflows of payouts and their corrections, without "payout/". */
const idsOf = async (filter: string): Promise<string[]> => {
  const ids = new Set<string>();
  const query = `WorkflowId STARTS_WITH "payout/" AND ${filter}`;
  for await (const { workflowId } of system.temporal.clients.finance.workflow.list({ query }))
    ids.add(workflowId.slice('payout/'.length));
  return [...ids].sort();
};

/** What operators can do in the Temporal UI. */
const ACTIONS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  terminate: (id) => handleOf(id).terminate('by an operator'),
  cancel: (id) => handleOf(id).cancel(),
  reset: (id) => reset(id),
  'reset to the last task': (id) => reset(id, 'last task'),
  'reset and terminate': async (id) => handleOf(id, await reset(id)).terminate('by an operator'),
  copy,
};
const NEEDS_RUNNING = ['terminate', 'cancel'];

/** Acts on one of the workflows of the merchant: on the first, from `which` on, that is as the action needs it. */
const operate = async (filter: string, action: string, which: number): Promise<boolean> => {
  const act = ACTIONS[action];
  const ids = await idsOf(NEEDS_RUNNING.includes(action) ? `${filter} AND ExecutionStatus = "Running"` : filter);
  for (const [n] of ids.entries()) {
    const id = ids[(which + n) % ids.length];
    const isDone = await act?.(String(id)).then(
      () => true,
      () => false,
    );
    if (isDone) return true;
  }
  return false;
};

/** An entry in the ledger's account of what was paid. */
interface Booking {
  affiliateId: string;
  currency: string;
  amount: number;
  atMs: number;
}

const bookingsOf = (merchantId: string): Promise<Booking[]> =>
  rows(
    context().em,
    sql<Booking>`select owner_id as "affiliateId", currency, amount::int, (extract(epoch from created_at) * 1000)::float8 as "atMs"
      from ledger_entry where merchant_id = ${merchantId} and account = 'paid' order by created_at`,
  );

const sumOf = (bookings: readonly Booking[]): number => bookings.reduce((sum, { amount }) => sum + amount, 0);

/** What has not ended, in the database or in Temporal, or waits to be started there. */
const countOpen = async (filter: string): Promise<number> => {
  const [row] = await rows(
    context().em,
    sql<{ count: number }>`select (
      (select count(*) from payout where status in ('pending', 'processing') or run_lost or needs_attention)
      + (select count(*) from payout_correction where closed_at is null or run_lost)
      + (select count(*) from outbox where topic like 'payout.%'))::int as count`,
  );
  return Number(row?.count) + (await idsOf(`${filter} AND ExecutionStatus = "Running"`)).length;
};

test('FI1: after a month in which operators terminate, reset, cancel and copy workflows, PaidAmount adds up to the API and the ledger', async () => {
  const random = seededRandom(SEED);
  const month = await openPayoutMonth(system, random);
  const ofMerchant = `MerchantId = "${month.merchantId}"`;
  const operated = new Map(Object.keys(ACTIONS).map((action) => [action, 0]));
  const dayStarts: number[] = [];
  for (let day = 0; day < DAYS; day++) {
    dayStarts.push(Date.now());
    const least = Math.min(...operated.values());
    const action = random.pick(Object.keys(ACTIONS).filter((name) => operated.get(name) === least));
    const operator = pause(random.integer(1_000), 'people act at any time of a day').then(() =>
      operate(ofMerchant, action, random.integer(1_000)),
    );
    await month.playDay();
    if (await operator) operated.set(action, (operated.get(action) ?? 0) + 1);
  }
  await month.finish();
  await until(
    'no workflow of the month is open',
    () => countOpen(ofMerchant),
    (count) => count === 0,
  );
  const made = await month.listPayouts();
  // A retry that takes everything payable along leaves nothing for a day's payout.
  expect(made.length + month.refusals.length).toBeGreaterThanOrEqual(3 * DAYS);
  expect(month.refusals.length).toBeLessThan(DAYS / 3);
  expect([...month.made, ...operated].filter(([, times]) => times === 0)).toEqual([]);

  const bookings = await bookingsOf(month.merchantId);
  const { byCurrency } = (await system.call('GET', '/payouts/stats', { key: month.key })).data;
  for (const currency of CURRENCIES) {
    const booked = bookings.filter((booking) => booking.currency === currency);
    const { totalPaid } = byCurrency.find((sums: { currency: string }) => sums.currency === currency);
    expect([currency, sumOf(booked)]).toEqual([currency, totalPaid]);
    const differing = async () => {
      const found: unknown[] = [];
      for (const { affiliateId, code } of month.affiliates.filter((affiliate) => affiliate.currency === currency)) {
        const paid = sumOf(booked.filter((booking) => booking.affiliateId === affiliateId));
        const listed = await sumOfList(`${ofMerchant} AND AffiliateCode = "${code}"`, currency);
        if (listed !== paid) found.push({ affiliateId, listed, paid });
      }
      return found;
    };
    // The list is eventually consistent.
    await until('lists and ledger agree on what each affiliate was paid', differing, ({ length }) => length === 0);
    expect([currency, await sumOfList(ofMerchant, currency)]).toEqual([currency, totalPaid]);
    for (const [day, fromMs] of dayStarts.entries()) {
      const toMs = dayStarts[day + 1] ?? Date.now();
      const paid = sumOf(booked.filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
      const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
      const listed = await sumOfList(`${ofMerchant} AND PaidAt >= "${from}" AND PaidAt < "${to}"`, currency);
      expect([currency, day, listed]).toEqual([currency, day, paid]);
    }
  }
  expect(await verifyLedger(context())).toEqual([]);
});
