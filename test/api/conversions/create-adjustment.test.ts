import { MAX_OPEN_ADJUSTMENTS } from '../../../src/contracts/limits.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram, sendRefund, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const findings = () => verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }));

/** What a test does to one affiliate. */
const forAffiliate = ({ key, keyId, affiliateId, programId }: Record<'key' | 'keyId' | 'affiliateId' | 'programId', string>) => ({
  key,
  keyId,
  affiliateId,
  programId,
  adjust: (amount: number, kind: string, headers: Record<string, string> = {}) =>
    api.call('POST', `/affiliates/${affiliateId}/adjustments`, {
      key,
      body: { amount, kind, note: 'Agreed by phone' },
      headers,
    }),
  pay: () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } }),
  act: (payoutId: string, verb: string, body?: unknown) => api.call('POST', `/payouts/${payoutId}/${verb}`, { key, body }),
  stats: async () => (await api.call('GET', `/affiliates/${affiliateId}`, { key, query: { include: 'stats' } })).data.stats,
  open: async () =>
    Number(
      (await rowsOf(api, 'select open_adjustments from ledger_balance where affiliate_id = ?', [affiliateId]))[0]
        ?.open_adjustments,
    ),
});

/** An affiliate to whom 20.00 is payable. */
const payable = async () => {
  const made = await makePayable(api);
  return { ...made, ...forAffiliate(made) };
};

/** An affiliate without any sale. */
const fresh = async (settings: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, settings);
  const affiliate = await makeAffiliate(api.runtime, program.programId);
  return { ...affiliate, program, ...forAffiliate({ ...merchant, ...program, ...affiliate }) };
};

it('201: a bonus is payable at once, booked from the expense account of the program, and part of the next payout', async () => {
  const { adjust, affiliateId, programId, keyId, stats, pay } = await payable();
  const response = await adjust(500, 'bonus');
  expect(response).toMatchObject({ status: 201 });
  expect(response.data).toEqual({
    id: expect.any(String),
    affiliateId,
    programId,
    amount: 500,
    currency: 'usd',
    kind: 'bonus',
    status: 'booked',
    note: 'Agreed by phone',
    payoutId: null,
    createdBy: `key:${keyId}`,
    createdAt: expect.any(String),
    approvedBy: null,
    approvedAt: null,
  });
  const entries = await rowsOf(
    api,
    'select account, amount::int, owner_id, kind from ledger_entry where reference_id = ? order by amount',
    [response.data.id],
  );
  expect(entries).toEqual([
    { account: 'merchant_expense', amount: -500, owner_id: programId, kind: 'adjustment' },
    { account: 'payable', amount: 500, owner_id: affiliateId, kind: 'adjustment' },
  ]);
  expect(await stats()).toMatchObject({ payable: 2_500, totalRevenue: 10_000 });
  expect((await pay()).data.amount).toBe(2_500);
  expect(await findings()).toEqual([]);
});

it('a clawback reduces the next payout', async () => {
  const { adjust, stats, pay, open } = await payable();
  expect((await adjust(-700, 'clawback')).status).toBe(201);
  expect([(await stats()).payable, await open()]).toEqual([1_300, 700]);
  expect((await pay()).data.amount).toBe(1_300);
  expect([(await stats()).payable, await open()]).toEqual([0, 0]);
  expect(await findings()).toEqual([]);
});

it('a clawback beyond the balance makes it negative, and later payouts deduct it', async () => {
  const { adjust, stats, pay, open, program, code } = await payable();
  await adjust(-2_500, 'clawback');
  expect([(await stats()).payable, await open()]).toEqual([-500, 2_500]);
  expect(await pay()).toMatchObject({ status: 409, error: { details: { reason: 'NOTHING_PAYABLE', payable: -500 } } });
  await sendSale(api, program, { amount: 10_000, referralCode: code });
  expect((await pay()).data.amount).toBe(1_500);
  expect([(await stats()).payable, await open()]).toEqual([0, 0]);
  expect(await findings()).toEqual([]);
});

it('a correction adds or deducts, also for an affiliate who never sold anything', async () => {
  const { adjust, stats, pay } = await fresh({ currency: 'eur' });
  expect((await adjust(-300, 'correction')).data).toMatchObject({ currency: 'eur', amount: -300 });
  expect((await stats()).payable).toBe(-300);
  await adjust(1_400, 'correction');
  expect(await stats()).toMatchObject({ payable: 1_100, currency: 'eur' });
  expect((await pay()).data).toMatchObject({ amount: 1_100, currency: 'eur' });
  expect(await findings()).toEqual([]);
});

it('a payout that fails, or is returned, gives its adjustments back to the next one', async () => {
  const { adjust, stats, pay, act, open } = await payable();
  await adjust(900, 'bonus');
  await adjust(-400, 'clawback');
  const first = (await pay()).data.id;
  await act(first, 'cancel');
  expect([(await stats()).payable, await open()]).toEqual([2_500, 400]);
  const second = (await pay()).data;
  expect(second.amount).toBe(2_500);
  await act(second.id, 'process');
  await act(second.id, 'complete');
  expect(await stats()).toMatchObject({ payable: 0, paid: 2_500 });
  await act(second.id, 'return', { note: 'The bank sent it back' });
  expect(await stats()).toMatchObject({ payable: 2_500, paid: 0 });
  expect((await pay()).data.amount).toBe(2_500);
  expect(await findings()).toEqual([]);
});

it('a payout that is in progress is not changed', async () => {
  const { adjust, stats, pay, act } = await payable();
  const { id, amount } = (await pay()).data;
  await adjust(-600, 'clawback');
  await adjust(1_800, 'bonus');
  await act(id, 'process');
  expect((await act(id, 'complete')).data.amount).toBe(amount);
  expect(await stats()).toMatchObject({ payable: 1_200, paid: 2_000 });
  expect((await pay()).data.amount).toBe(1_200);
  expect(await findings()).toEqual([]);
});

it('adjustments and deductions for refunds add up', async () => {
  const { adjust, pay, stats, program, saleId, code } = await payable();
  await pay();
  await sendRefund(api, program, { saleId, amount: 5_000 });
  await adjust(-100, 'clawback');
  await adjust(600, 'bonus');
  await sendSale(api, program, { amount: 10_000, referralCode: code });
  expect((await stats()).payable).toBe(-1_000 - 100 + 600 + 2_000);
  expect(await findings()).toEqual([]);
});

it('a blocked or paused affiliate can be adjusted; the money stays frozen', async () => {
  const { adjust, pay, stats, key, affiliateId } = await payable();
  await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused: true } });
  expect((await adjust(100, 'bonus')).status).toBe(201);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect((await adjust(-2_000, 'clawback')).status).toBe(201);
  expect((await stats()).payable).toBe(100);
  expect((await pay()).error.details.reason).toBe('AFFILIATE_BLOCKED');
});

it('the first adjustment fixes the currency of the program', async () => {
  const { adjust, key, programId, program, code, stats } = await fresh();
  await adjust(100, 'bonus');
  const change = await api.call('PATCH', `/programs/${programId}`, { key, body: { currency: 'eur' } });
  expect(change).toMatchObject({ status: 409, error: { details: { reason: 'CURRENCY_LOCKED', currency: 'usd' } } });
  expect((await sendSale(api, program, { referralCode: code })).data.outcome).toBe('recorded');
  expect((await stats()).payable).toBe(2_100);
});

it('a request that is repeated with its idempotency key adjusts once', async () => {
  const { adjust, stats } = await payable();
  const headers = { 'idempotency-key': unique() };
  const [first, second] = [await adjust(500, 'bonus', headers), await adjust(500, 'bonus', headers)];
  expect([second.data, second.headers['idempotency-replayed']]).toEqual([first.data, 'true']);
  expect((await stats()).payable).toBe(2_500);
});

it('simultaneous adjustments all count, also the first ones of an affiliate', async () => {
  const { adjust, stats, open } = await fresh();
  const amounts = [300, -200, 100, -50, 700, -900, 40, 60];
  const responses = await Promise.all(amounts.map((amount) => adjust(amount, 'correction')));
  expect(responses.map(({ status }) => status)).toEqual(amounts.map(() => 201));
  expect([(await stats()).payable, await open()]).toEqual([50, 1_150]);
  expect(await findings()).toEqual([]);
});

it('beside payouts that are being created, each adjustment is part of exactly one payout or still open', async () => {
  for (let round = 0; round < 5; round++) {
    const { adjust, pay, act, stats } = await payable();
    const [payout] = await Promise.all([pay(), adjust(400, 'bonus'), adjust(-300, 'clawback'), pay()]);
    const { payable: left, inPayout } = await stats();
    expect(left + inPayout).toBe(2_100);
    for (const verb of ['process', 'complete']) if (payout.status === 201) await act(payout.data.id, verb);
  }
  expect(await findings()).toEqual([]);
});

it('409 TOO_MANY_ADJUSTMENTS, until a payout takes the open ones', async () => {
  const { adjust, pay, affiliateId, programId, stats } = await payable();
  await adjust(100, 'bonus');
  await rowsOf(
    api,
    `with made as (
       insert into commission_adjustment (id, affiliate_id, kind, amount, note, created_by, created_at)
       select gen_random_uuid(), ?::uuid, 'bonus', 1, 'One each', 'system:test', now() from generate_series(1, ?)
       returning id, affiliate_id),
     booked as (
       insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
       select made.id, 'adjustment', line.account, line.owner, b.program_id, b.merchant_id, 'usd', line.amount, made.id, current_date, now()
       from made join ledger_balance b using (affiliate_id), lateral (values ('payable', made.affiliate_id, 1), ('merchant_expense', ?::uuid, -1)) line (account, owner, amount))
     update ledger_balance b set payable = payable + (select count(*) from made) where b.affiliate_id = ?::uuid`,
    [affiliateId, MAX_OPEN_ADJUSTMENTS - 1, programId, affiliateId],
  );
  expect(await adjust(100, 'bonus')).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'TOO_MANY_ADJUSTMENTS', maximum: MAX_OPEN_ADJUSTMENTS } },
  });
  expect((await stats()).payable).toBe(2_100 + MAX_OPEN_ADJUSTMENTS - 1);
  expect((await pay()).status).toBe(201);
  expect((await adjust(100, 'bonus')).status).toBe(201);
  expect(await findings()).toEqual([]);
});

test.each([
  ['amount', { amount: 0, kind: 'correction' }],
  ['amount', { amount: 0, kind: 'bonus' }],
  ['amount', { amount: -1, kind: 'bonus' }],
  ['amount', { amount: 1, kind: 'clawback' }],
  ['amount', { amount: 1.5, kind: 'bonus' }],
  ['amount', { amount: '5', kind: 'bonus' }],
  ['amount', { amount: 1_000_000_000_001, kind: 'bonus' }],
  ['amount', { amount: -1_000_000_000_001, kind: 'clawback' }],
  ['kind', { kind: 'gift' }],
  ['note', { note: '   ' }],
  ['note', { note: undefined }],
  ['note', { note: 'x'.repeat(1_001) }],
  ['currency', { currency: 'eur' }],
])('422 for an invalid %s, and nothing is booked: %j', async (path, more) => {
  const { key, affiliateId, stats } = await fresh();
  const body = { amount: 100, kind: 'bonus', note: 'Agreed', ...more };
  expect(await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body })).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
  expect((await stats()).payable).toBe(0);
});

it('404 for a missing affiliate, 403 for that of another merchant, and nothing is booked', async () => {
  const { key } = await fresh();
  const other = await fresh();
  const body = { amount: 100, kind: 'bonus', note: 'Agreed' };
  const adjust = (id: string) => api.call('POST', `/affiliates/${id}/adjustments`, { key, body });
  expect([(await adjust(MISSING_ID)).status, (await adjust(other.affiliateId)).status]).toEqual([404, 403]);
  expect((await other.stats()).payable).toBe(0);
});
