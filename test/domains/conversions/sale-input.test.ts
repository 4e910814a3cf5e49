import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makePayable,
  makeProgram,
  saleEvent,
  sendEvent,
  sendRefund,
  sendSale,
  signedHeaders,
  unique,
} from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';

const api = useTestApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

test('S5: a sale that waits for a change of terms books the new ones', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { commissionPercent: 10, commissionHoldDays: 30 });
  const { code } = await makeAffiliate(api.runtime, program.programId);
  // The change holds the program's lock; the sale has read the program before and waits for it.
  let sale: ReturnType<typeof sendSale> | undefined;
  await context().em.transactional(async (em) => {
    await rows(
      em as ReturnType<typeof context>['em'],
      sql`update program set commission_percent = 40, commission_hold_days = 0, commission_type = 'one_time'
        where id = ${program.programId}::uuid`,
    );
    sale = sendSale(api, program, { amount: 10_000, referralCode: code });
    await untilSomebodyWaits(api);
  });
  const { data } = (await sale) ?? {};
  const booked = await firstRow(
    context().em,
    sql`select commission::int, commission_percent::float8 as percent, status from conversion where id = ${data.conversionId}::uuid`,
  );
  expect(booked).toEqual({ commission: 4_000, percent: 40, status: 'approved' });
});

test('S6: a repeat with the codes in another case is a duplicate', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const { code } = await makeAffiliate(api.runtime, program.programId);
  const event = saleEvent({ referralCode: code });
  const first = await sendEvent(api, program, { ...event, data: { ...event.data, couponCode: 'Save10' } });
  const data = { ...event.data, referralCode: ` ${code.toUpperCase()}`, couponCode: 'SAVE10' };
  expect((await sendEvent(api, program, { ...event, data })).data).toEqual({
    outcome: 'duplicate',
    conversionId: first.data.conversionId,
  });
});

test.each([
  ['a repeated member', (text: string) => text.replace('"amount":', '"amount":1,"amount":'), 'repeated_name'],
  ['an escaped repeat', (text: string) => text.replace('"amount":', '"\\u0061mount":1,"amount":'), 'repeated_name'],
  ['deep nesting', () => '['.repeat(65) + ']'.repeat(65), 'too_deep'],
])('S7: 400 for a signed event with %s', async (_name, change, code) => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const body = change(JSON.stringify(saleEvent({})));
  const response = await api.raw('POST', `/api/integrations/events/${program.programId}`, {
    body,
    headers: signedHeaders(program.eventSecret, body),
  });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST', details: { issues: [{ path: 'body', code }] } } });
});

test.each([99.99999999999999, 12.345, 1.001, 0.99, 100.01])(
  'S8: 422 for a commission of %d percent',
  async (commissionPercent) => {
    const { key } = await makeMerchant(api.runtime);
    const body = { name: 'P', commissionType: 'recurring', commissionPercent };
    const response = await api.call('POST', '/programs', { key, body });
    expect(response).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'commissionPercent' }] } } });
  },
);

test.each([1, 1.01, 12.5, 19.99, 33.33, 99.99, 100])(
  'S8: a commission of %d percent is stored as given',
  async (commissionPercent) => {
    const { key } = await makeMerchant(api.runtime);
    const body = { name: 'P', commissionType: 'recurring', commissionPercent };
    expect(await api.call('POST', '/programs', { key, body })).toMatchObject({ status: 201, data: { commissionPercent } });
  },
);

test('H11: one refundId on two sales at once is one refund and one 409', async () => {
  const { program, code } = await makePayable(api);
  for (let round = 0; round < 5; round++) {
    const sales = [`sale-${unique()}`, `sale-${unique()}`];
    await Promise.all(sales.map((saleId) => sendSale(api, program, { saleId, referralCode: code })));
    const refundId = `r-${unique()}`;
    const responses = await Promise.all(sales.map((saleId) => sendRefund(api, program, { saleId, amount: 100, refundId })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(responses.find(({ status }) => status === 409)?.error.details).toMatchObject({ reason: 'PAYLOAD_MISMATCH', refundId });
  }
  expect(await verifyLedger(context())).toEqual([]);
});

describe('B9: refunds that wait for their sale', () => {
  const waiting = async (programId: string, saleId: string, count: number, amount: number) =>
    rows(
      context().em,
      sql`insert into sale_refund (id, program_id, provider, external_id, external_sale_id, payload_hash, amount, occurred_at, created_at)
        select gen_random_uuid(), ${programId}::uuid, 'events', 'r-' || n || ${unique()}, ${saleId}, '', ${amount}::bigint, now() + interval '1 minute', now()
        from generate_series(1, ${count}::int) n`,
    );

  it.each([
    ['1,500 in part', 1_500, { status: 'partially_refunded', refundedAmount: 1_500, commission: 1_700 }],
    ['1,500 beyond the amount of the sale', 12_000, { status: 'refunded', refundedAmount: 10_000, commission: 0 }],
  ])('refunds that wait are all applied: %s', async (_name, total, expected) => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const program = await makeProgram(api, key, { commissionHoldDays: 30 });
    const { code } = await makeAffiliate(api.runtime, program.programId);
    const saleId = `sale-${unique()}`;
    await waiting(program.programId, saleId, 1_500, total / 1_500);
    const { data } = await sendSale(api, program, { saleId, referralCode: code });
    expect((await api.call('GET', '/conversions', { key })).data).toMatchObject([{ id: data.conversionId, ...expected }]);
    const left = await rows(
      context().em,
      sql`select 1 from sale_refund where program_id = ${program.programId}::uuid and applied_at is null`,
    );
    expect(left).toEqual([]);
    const events = await rows(
      context().em,
      sql<{
        body: Buffer;
      }>`select body from webhook_event where merchant_id = ${merchantId}::uuid and type = 'conversion.refunded'`,
    );
    const told = events.map(({ body }) => JSON.parse(body.toString()).data.refundAmount as number);
    expect(told.reduce((sum, amount) => sum + amount, 0)).toBe(expected.refundedAmount);
    expect(await verifyLedger(context())).toEqual([]);
  });
});
