import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram, sendRefund, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();

const system = { kind: 'system', name: 'test' } as const;
const ledgerFindings = () => verifyLedger(api.runtime.context(system));
const balanceOf = (affiliateId: string) =>
  firstRow(
    api.runtime.context(system).em,
    sql<{ pending: number; payable: number; in_payout: number; paid: number; open_adjustments: number }>`
      select pending::float8, payable::float8, in_payout::float8, paid::float8, open_adjustments::float8
      from ledger_balance where affiliate_id = ${affiliateId}::uuid`,
  );

describe('201', () => {
  it('stores the payout, its ledger entries, its event and the workflow start in one transaction', async () => {
    const { key, programId, affiliateId, merchantId } = await makePayable(api);
    const response = await api.call('POST', '/payouts', {
      key,
      body: { affiliateId, programId, method: 'paypal', notes: 'January' },
    });
    expect(response.status).toBe(201);
    expect(response.data).toMatchObject({
      affiliateId,
      programId,
      amount: 2000,
      currency: 'usd',
      status: 'pending',
      method: 'paypal',
      notes: 'January',
    });
    expect(await balanceOf(affiliateId)).toEqual({ pending: 0, payable: 0, in_payout: 2000, paid: 0, open_adjustments: 0 });
    const { em } = api.runtime.context(system);
    const events = await rows(
      em,
      sql<{ type: string }>`select type from webhook_event where merchant_id = ${merchantId}::uuid order by id`,
    );
    expect(events.map((event) => event.type)).toContain('payout.created');
    const waiting = await rows(em, sql<{ topic: string }>`select topic from outbox where subject_id = ${response.data.id}::uuid`);
    expect(waiting).toEqual([{ topic: 'payout.start' }]);
    expect(await ledgerFindings()).toEqual([]);
  });

  it('stores an encrypted snapshot of the payout details', async () => {
    const local = `ok+${unique()}`;
    const { key, programId, affiliateId } = await makePayable(api, { local });
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    const row = await firstRow(
      api.runtime.context(system).em,
      sql<{ details: string }>`select details from payout where id = ${data.id}::uuid`,
    );
    expect(row?.details).not.toContain(local);
    const opened = api.runtime.cipher.decrypt(row?.details ?? '', { table: 'payout', column: 'details', row: data.id });
    expect(JSON.parse(opened)).toMatchObject({ method: 'paypal', paypalEmail: `${local}@example.com` });
  });

  it('deducts a refund that followed an earlier payout', async () => {
    const { key, program, programId, affiliateId, code, saleId } = await makePayable(api);
    const first = await api.call('POST', '/payouts', { key, body: { affiliateId, programId, method: 'paypal' } });
    expect((await sendRefund(api, program, { saleId, amount: 5_000 })).data.outcome).toBe('recorded');
    expect(await balanceOf(affiliateId)).toMatchObject({ payable: -1000, in_payout: 2000, open_adjustments: 1000 });
    await api.call('POST', `/payouts/${first.data.id}/cancel`, { key });
    expect(await balanceOf(affiliateId)).toMatchObject({ payable: 1000, in_payout: 0, open_adjustments: 1000 });
    await sendSale(api, program, { amount: 10_000, referralCode: code });
    const second = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    expect(second.data.amount).toBe(3000);
    expect(await balanceOf(affiliateId)).toMatchObject({ payable: 0, in_payout: 3000, open_adjustments: 0 });
    expect(await ledgerFindings()).toEqual([]);
  });
});

describe('409', () => {
  const conflictOf = async (key: string, body: unknown) => {
    const response = await api.call('POST', '/payouts', { key, body });
    expect(response.status).toBe(409);
    expect(response.error.code).toBe('CONFLICT');
    return response.error.details;
  };

  it('AFFILIATE_BLOCKED: the balance stays payable after unblocking', async () => {
    const { key, programId, affiliateId } = await makePayable(api);
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    expect(await conflictOf(key, { affiliateId, programId })).toMatchObject({ reason: 'AFFILIATE_BLOCKED' });
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
    expect((await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).status).toBe(201);
  });

  it('NOTHING_PAYABLE', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const { affiliateId } = await makeAffiliate(api.runtime, programId);
    expect(await conflictOf(key, { affiliateId, programId })).toEqual({ reason: 'NOTHING_PAYABLE', payable: 0 });
  });

  it('BELOW_THRESHOLD, with the payable amount and the threshold', async () => {
    const { key, programId, affiliateId } = await makePayable(api, { amount: 1_000 });
    expect(await conflictOf(key, { affiliateId, programId })).toEqual({
      reason: 'BELOW_THRESHOLD',
      payable: 200,
      threshold: 1000,
    });
  });

  it('PAYOUT_DETAILS_MISSING, also for a method without details', async () => {
    const without = await makePayable(api, { local: null });
    expect(await conflictOf(without.key, { affiliateId: without.affiliateId, programId: without.programId })).toMatchObject({
      reason: 'PAYOUT_DETAILS_MISSING',
    });
    const paypal = await makePayable(api);
    expect(
      await conflictOf(paypal.key, { affiliateId: paypal.affiliateId, programId: paypal.programId, method: 'bank_transfer' }),
    ).toMatchObject({
      reason: 'PAYOUT_DETAILS_MISSING',
      method: 'bank_transfer',
    });
    const body = { affiliateId: paypal.affiliateId, programId: paypal.programId, method: 'bank_transfer' };
    const { error } = await api.call('POST', '/payouts', { key: paypal.key, body });
    expect(error.message).toBe('The affiliate has no payout details for bank_transfer');
  });

  it('PAYOUT_IN_FLIGHT, with the id of that payout', async () => {
    const { key, programId, affiliateId } = await makePayable(api);
    const first = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    expect(await conflictOf(key, { affiliateId, programId })).toEqual({ reason: 'PAYOUT_IN_FLIGHT', payoutId: first.data.id });
  });
});

describe('bad input changes nothing', () => {
  it('returns 404 for a missing and 403 for a foreign affiliate or program', async () => {
    const own = await makePayable(api);
    const other = await makePayable(api);
    const missing = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff';
    const statusOf = async (body: unknown) => (await api.call('POST', '/payouts', { key: own.key, body })).status;
    expect(await statusOf({ affiliateId: missing, programId: own.programId })).toBe(404);
    expect(await statusOf({ affiliateId: other.affiliateId, programId: other.programId })).toBe(403);
    expect(await statusOf({ affiliateId: own.affiliateId, programId: other.programId })).toBe(403);
    expect(await statusOf({ affiliateId: own.affiliateId, programId: missing })).toBe(404);
    expect(await balanceOf(own.affiliateId)).toMatchObject({ payable: 2000 });
  });

  it.each([
    ['an unknown field', { amount: 5 }, 'amount'],
    ['an unknown method', { method: 'cash' }, 'method'],
    ['a broken id', { affiliateId: 'x' }, 'affiliateId'],
  ])('responses 422 for %s', async (_name, more, path) => {
    const { key, programId, affiliateId } = await makePayable(api);
    const response = await api.call('POST', '/payouts', { key, body: { affiliateId, programId, ...more } });
    expect(response.status).toBe(422);
    expect(response.error.details.issues).toEqual([expect.objectContaining({ path })]);
  });
});
