import { approveCommissions } from '../../src/domains/conversions/use-cases/approve-commissions.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/clock.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { downloadJournal } from '../api/ledger/support.ts';
import { useOwnApi } from '../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, refundEvent, saleEvent, signedHeaders, unique } from '../support/factories.ts';
import { screenAll } from '../support/screening.ts';

/** Also the first of January in New York. */
const FIRST_DAY = Date.parse('2025-01-01T12:00:00Z');
/** A year, and what comes back after it. */
const DAYS = 365 + 45;
const DECIMALS: Readonly<Record<string, number>> = { usd: 2, jpy: 0, kwd: 3 };

let now = FIRST_DAY;
const api = useOwnApi({}, { clock: { now: () => new Date(now) } });
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

/** Numbers from 0 to 1, the same in every run. */
const randomOf = (seed: number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
};
const random = randomOf(20_250_101);
const chance = (probability: number): boolean => random() < probability;
const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];

type Shop = Awaited<ReturnType<typeof openShop>>;

/** A program of the merchant with its own currency, hold period and affiliates. */
const openShop = async (key: string, currency: string, commissionHoldDays: number) => {
  const unit = 10 ** (DECIMALS[currency] ?? 2);
  const payoutThreshold = 10 * unit;
  const program = await makeProgram(api, key, { currency, commissionHoldDays, payoutThreshold });
  const affiliates = [];
  for (let n = 0; n < 3; n++) affiliates.push(await makeAffiliate(api.runtime, program.programId, { holder: `Affiliate ${n}` }));
  const send = (event: unknown) => {
    const body = JSON.stringify(event);
    const headers = signedHeaders(program.eventSecret, body, now);
    return api.raw('POST', `/api/integrations/events/${program.programId}`, { body, headers });
  };
  return {
    key,
    currency,
    unit,
    program,
    affiliates,
    send,
    sales: [] as { saleId: string; amount: number }[],
    paid: [] as string[],
  };
};

const at = () => new Date(now).toISOString();

const sell = async (shop: Shop): Promise<void> => {
  const sale = { saleId: `sale-${unique()}`, amount: shop.unit * (20 + Math.floor(random() * 200)) + 7 };
  const referralCode = pick(shop.affiliates)?.code ?? '';
  const { status, text } = await shop.send({
    ...saleEvent({ ...sale, currency: shop.currency, occurredAt: at(), referralCode }),
    timestamp: at(),
  });
  if (status !== 200) throw new Error(text);
  shop.sales.push(sale);
};

const refund = async (shop: Shop): Promise<void> => {
  const sale = pick(shop.sales);
  if (!sale) return;
  shop.sales.splice(shop.sales.indexOf(sale), 1);
  const amount = chance(0.5) ? sale.amount : Math.floor(sale.amount / 3);
  await shop.send({ ...refundEvent({ saleId: sale.saleId, amount, occurredAt: at() }), timestamp: at() });
};

const adjust = async ({ key, affiliates, unit }: Shop): Promise<void> => {
  const [kind, amount] = chance(0.5) ? (['bonus', 5 * unit] as const) : (['clawback', -3 * unit] as const);
  const body = { kind, amount, note: 'Agreed' };
  await api.call('POST', `/affiliates/${pick(affiliates)?.affiliateId}/adjustments`, { key, body });
};

/** Most are paid; some fail, and some come back weeks later, in another month. */
const payEverybody = async (shop: Shop): Promise<void> => {
  const { key, program } = shop;
  for (const { affiliateId } of shop.affiliates) {
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
    if (!data) continue;
    const act = (verb: string, body?: object) => api.call('POST', `/payouts/${data.id}/${verb}`, { key, body });
    await act('process');
    now += HOUR_MS;
    const { status } = chance(0.15) ? await act('fail', { note: 'The bank refused it' }) : await act('complete');
    if (status === 200) shop.paid.push(data.id);
  }
};

const comeBack = async ({ key, paid }: Shop): Promise<void> => {
  const id = paid.shift();
  if (id) await api.call('POST', `/payouts/${id}/return`, { key, body: { note: 'Account closed' } });
};

const playDay = async (shops: readonly Shop[]): Promise<void> => {
  const dayOfMonth = new Date(now).getUTCDate();
  for (const shop of shops) {
    now += Math.floor(random() * 4 * HOUR_MS);
    if (chance(0.5)) await sell(shop);
    if (chance(0.12)) await refund(shop);
    if (chance(0.04)) await adjust(shop);
    if (chance(0.03)) await comeBack(shop);
  }
  await screenAll(api.runtime);
  await approveCommissions(system(), { limit: 1_000 });
  if (dayOfMonth === 10 || dayOfMonth === 25) for (const shop of shops) await payEverybody(shop);
};

const nameOfMonth = (time: number): string => new Date(time).toISOString().slice(0, 7);

/** The amounts of a file by account and currency, in minor units. */
const sumsOf = (file: string): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const line of file.trimEnd().split('\r\n').slice(1)) {
    const [, account, , , , , currency = '', amount] = line.split(',');
    const name = `${account} ${currency.toLowerCase()}`;
    sums[name] = (sums[name] ?? 0) + Math.round(Number(amount) * 10 ** (DECIMALS[currency.toLowerCase()] ?? 2));
  }
  return sums;
};

const bySum = (found: readonly { account: string; currency: string; amount: number }[]): Record<string, number> =>
  Object.fromEntries(found.map(({ account, currency, amount }) => [`${account} ${currency}`, amount]));

test('the journal of a year adds up to the ledger by account and month, and closed months stay the same byte by byte', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  await api.call('PATCH', '/merchant', { key, body: { timezone: 'America/New_York' } });
  const shops = [await openShop(key, 'usd', 14), await openShop(key, 'jpy', 0), await openShop(key, 'kwd', 30)];
  const fileOf = async (period: string) => (await downloadJournal(api, key, { from: period, to: period })).body;
  const closed = new Map<string, string>();
  for (let day = 0; day < DAYS; day++) {
    now = FIRST_DAY + day * DAY_MS + MINUTE_MS;
    await playDay(shops);
    if (new Date(now).getUTCDate() !== 3 || day < 30) continue;
    const period = nameOfMonth(now - 5 * DAY_MS);
    const { status, text, data } = await api.call('POST', `/ledger/periods/${period}/close`, { key });
    if (status !== 200) throw new Error(text);
    closed.set(period, await fileOf(period));
    expect([period, bySum(data.totals.filter(({ entries }: { entries: number }) => entries > 0))]).toEqual([
      period,
      sumsOf(closed.get(period) ?? ''),
    ]);
  }
  expect(closed.size).toBe(13);
  const booked = await rows(
    system().em,
    sql<{
      month: string;
      account: string;
      currency: string;
      amount: number;
    }>`select to_char(booked_on, 'YYYY-MM') as month, account, currency,
      sum(amount)::float8 as amount from ledger_entry where merchant_id = ${merchantId} group by 1, 2, 3`,
  );
  for (const [month, ofMonth] of Map.groupBy(booked, (row) => row.month)) {
    const file = await fileOf(month);
    expect([month, sumsOf(file)]).toEqual([month, bySum(ofMonth)]);
    if (closed.has(month)) expect([month, file === closed.get(month)]).toEqual([month, true]);
  }
  const balances = await rows(
    system().em,
    sql<{ account: string; currency: string; amount: number }>`select account, currency, sum(amount)::float8 as amount
      from ledger_balance, lateral (values ('pending', pending), ('payable', payable), ('in_payout', in_payout), ('paid', paid))
        as held (account, amount) where merchant_id = ${merchantId} group by 1, 2`,
  );
  const whole = Object.entries(sumsOf((await downloadJournal(api, key)).body));
  expect(Object.fromEntries(whole.filter(([name]) => !name.startsWith('merchant_expense')))).toMatchObject(bySum(balances));
  const kinds = await rows(system().em, sql<{ kind: string }>`select distinct kind from ledger_entry order by kind`);
  expect(kinds.map(({ kind }) => kind)).toEqual([
    'adjustment',
    'approval',
    'conversion',
    'payout_completed',
    'payout_created',
    'payout_failed',
    'payout_returned',
    'refund',
  ]);
  expect(await verifyLedger(system())).toEqual([]);
});
