import { randomUUID } from 'node:crypto';
import { openPool } from '../../../bench/support/pg.ts';
import { seedMembers, seedProgram } from '../../../bench/support/seed.ts';
import { MAX_RUN_ITEMS } from '../../../src/contracts/payout-runs.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { addMember, makePayees } from './support.ts';

const api = useOwnApi();

describe('201', () => {
  it('stores a draft with an item for each affiliate, and promises nothing', async () => {
    const { key, merchantId, programId, members, draft, items, affiliateId } = await makePayees(api, 2);
    const { status, data } = await draft({ name: 'January', programId });
    expect(status).toBe(201);
    expect(data).toMatchObject({ name: 'January', programId, status: 'draft', total: { usd: 4_000 }, items: 2 });
    expect(data.totals).toEqual([
      { currency: 'usd', rail: 'manual', result: 'planned', reason: null, items: 2, amount: 4_000, fee: 0 },
    ]);
    expect(data.progress).toEqual({ waiting: 2, open: 0, final: 0, perMinute: null, expectedEndAt: null });
    expect((await items(data.id)).map(({ affiliateId: id }: { affiliateId: string }) => id)).toEqual(
      members.map((member) => member.affiliateId).sort(),
    );
    const [item] = (await items(data.id)).filter((one: { affiliateId: string }) => one.affiliateId === affiliateId);
    expect(item).toMatchObject({ amount: 2_000, destination: expect.stringMatching(/^.\*\*\*@example\.com$/), payoutId: null });
    expect((await api.call('GET', '/payouts', { key })).data).toEqual([]);
    const waiting = await rowsOf(api, 'select topic from outbox where subject_id = ?', [data.id]);
    expect(waiting).toEqual([{ topic: 'payout_run.started' }]);
    const log = await rowsOf(api, 'select action from audit_log where owner_id = ? and resource_id = ?', [merchantId, data.id]);
    expect(log).toEqual([{ action: 'payout_run.created' }]);
  });

  it('leaves out with its reason whom POST /payouts would refuse', async () => {
    const { key, program, programId, members, draft, reasons } = await makePayees(api, 6);
    const [able, blocked, paused, inFlight, held, disputed] = members.map(({ affiliateId }) => affiliateId);
    const small = (await addMember(api, program, 4_000)).affiliateId;
    const without = (await addMember(api, program, 10_000, null)).affiliateId;
    await api.call('POST', `/affiliates/${blocked}/block`, { key });
    await api.call('PATCH', `/affiliates/${paused}`, { key, body: { payoutsPaused: true } });
    await api.call('POST', '/payouts', { key, body: { affiliateId: inFlight, programId } });
    await sendSale(api, program, { referralCode: members[3]?.code ?? '' });
    const { data: conversions } = await api.call('GET', '/conversions', { key, query: { affiliateId: held ?? '' } });
    const flag = { affiliateId: held, conversionIds: [conversions[0].id], note: 'Bids on our brand name' };
    await api.call('POST', '/flags', { key, body: flag });
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await execute(em, sql`update conversion set disputed_at = now() where affiliate_id = ${disputed}`);
    const run = (await draft()).data;
    expect(await reasons(run.id)).toEqual({
      [able ?? '']: null,
      [blocked ?? '']: 'AFFILIATE_BLOCKED',
      [paused ?? '']: 'PAYOUTS_PAUSED',
      [inFlight ?? '']: 'PAYOUT_IN_FLIGHT',
      [held ?? '']: 'HELD_BY_FLAG',
      [disputed ?? '']: 'HELD_BY_DISPUTE',
      [small]: 'BELOW_THRESHOLD',
      [without]: 'PAYOUT_DETAILS_MISSING',
    });
    expect(run).toMatchObject({ items: 1, total: { usd: 2_000 } });
  });

  it('DETAILS_JUST_CHANGED within the cooldown', async () => {
    const { key, program, affiliateId, profileId, draft, reasons } = await makePayees(api, 1);
    await api.call('PATCH', '/merchant', { key, body: { detailsCooldownHours: 24 } });
    await rowsOf(api, 'update affiliate_profile set payout_details_changed_at = now() where id = ?', [profileId]);
    const able = await addMember(api, program);
    expect(await reasons((await draft()).data.id)).toEqual({ [affiliateId]: 'DETAILS_JUST_CHANGED', [able.affiliateId]: null });
  });

  it('minAmount raises the threshold and never lowers it', async () => {
    const { program, affiliateId, act, draft, reasons } = await makePayees(api, 1);
    const small = await addMember(api, program, 4_000);
    const large = await addMember(api, program, 10_005);
    const low = (await draft({ minAmount: 1 })).data;
    expect(await reasons(low.id)).toEqual({
      [affiliateId]: null,
      [small.affiliateId]: 'BELOW_THRESHOLD',
      [large.affiliateId]: null,
    });
    await act(low.id, 'cancel');
    expect(await reasons((await draft({ minAmount: 2_001 })).data.id)).toMatchObject({
      [affiliateId]: 'BELOW_THRESHOLD',
      [large.affiliateId]: null,
    });
  });

  it('pays only the named affiliates, and only those with the method', async () => {
    const { affiliateId, act, draft, reasons } = await makePayees(api, 2);
    const named = (await draft({ affiliateIds: [affiliateId, affiliateId] })).data;
    expect(await reasons(named.id)).toEqual({ [affiliateId]: null });
    await act(named.id, 'cancel');
    expect((await draft({ method: 'bank_transfer' })).error.details.reason).toBe('NOTHING_PAYABLE');
    expect((await draft({ method: 'paypal' })).data.items).toBe(2);
  });

  it('the same Idempotency-Key returns the same draft', async () => {
    const { key } = await makePayees(api, 1);
    const post = () => api.call('POST', '/payout-runs', { key, body: {}, headers: { 'idempotency-key': 'run' } });
    expect((await post()).data.id).toBe((await post()).data.id);
  });
});

describe('409', () => {
  it('RUN_IN_PROGRESS for a run that overlaps, until the other one is over', async () => {
    const { key, programId, draft, act } = await makePayees(api, 1);
    const { id: runId } = (await draft({ programId, method: 'paypal' })).data;
    for (const body of [{}, { programId }, { method: 'paypal' }]) {
      expect((await draft(body)).error).toMatchObject({ code: 'CONFLICT', details: { reason: 'RUN_IN_PROGRESS', runId } });
    }
    const other = await makeProgram(api, key);
    await addMember(api, other);
    expect((await draft({ programId: other.programId })).status).toBe(201);
    await act(runId, 'cancel');
    expect((await draft({ programId })).status).toBe(201);
  });

  it('RUN_TOO_LARGE for more than 10,000 affiliates: nothing is drafted, and fewer of them are', async () => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const database = openPool(ownerUrlOf(api), 1);
    const programId = await seedProgram(api.runtime, database, merchantId);
    const ids = await seedMembers(api.runtime, database, { merchantId, programId, count: MAX_RUN_ITEMS + 1 }).finally(() =>
      database.end(),
    );
    const draft = (body: unknown) => api.call('POST', '/payout-runs', { key, body });
    const { status, error } = await draft({});
    expect([status, error.details]).toEqual([409, { reason: 'RUN_TOO_LARGE', limit: MAX_RUN_ITEMS }]);
    expect((await draft({ programId })).error.details.reason).toBe('RUN_TOO_LARGE');
    expect((await api.call('GET', '/payout-runs', { key })).data).toEqual([]);
    expect((await draft({ affiliateIds: ids.slice(0, 3) })).data).toMatchObject({ items: 3 });
  });

  it('one of two drafts at once', async () => {
    const { draft } = await makePayees(api, 1);
    const statuses = (await Promise.all([draft(), draft(), draft()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409]);
  });

  it('NOBODY_TO_PAY with the reasons by count, when everybody is left out: no run, and others are not held up', async () => {
    const { key, program, members, draft } = await makePayees(api, 3);
    const [blocked, paused] = members;
    await addMember(api, program, 20_000, null);
    await api.call('POST', `/affiliates/${blocked?.affiliateId}/block`, { key, body: {} });
    await api.call('PATCH', `/affiliates/${paused?.affiliateId}`, { key, body: { payoutsPaused: true } });
    const refused = await draft({ minAmount: 2_001 });
    expect([refused.status, refused.error.details]).toEqual([
      409,
      {
        reason: 'NOBODY_TO_PAY',
        reasons: { AFFILIATE_BLOCKED: 1, PAYOUTS_PAUSED: 1, PAYOUT_DETAILS_MISSING: 1, BELOW_THRESHOLD: 1 },
      },
    ]);
    expect((await api.call('GET', '/payout-runs', { key })).data).toEqual([]);
    expect((await draft()).data).toMatchObject({ items: 1 });
  });

  it('a draft from which everybody was taken out holds up no other run, and cannot be confirmed', async () => {
    const { key, members, draft, confirm } = await makePayees(api, 1);
    const run = (await draft()).data;
    await api.call('DELETE', `/payout-runs/${run.id}/items/${members[0]?.affiliateId}`, { key });
    expect((await draft()).status).toBe(201);
    expect((await confirm({ ...run, total: {}, items: 0 })).status).toBe(422);
    expect((await confirm(run)).error.details.reason).toBe('RUN_CHANGED');
  });

  it('NOTHING_PAYABLE without anybody to pay', async () => {
    const { key } = await makeMerchant(api.runtime);
    await makeProgram(api, key);
    const { error } = await api.call('POST', '/payout-runs', { key, body: {} });
    expect(error).toMatchObject({ code: 'CONFLICT', details: { reason: 'NOTHING_PAYABLE' } });
  });
});

it('404 for an affiliate or program that is not of the merchant, 422 for values that are none', async () => {
  const { draft } = await makePayees(api, 1);
  const { key: otherKey } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, otherKey);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  expect((await draft({ affiliateIds: [affiliateId] })).status).toBe(404);
  expect((await draft({ affiliateIds: [randomUUID()] })).status).toBe(404);
  expect((await draft({ programId: randomUUID() })).status).toBe(404);
  expect((await draft({ programId })).status).toBe(403);
  const many = Array.from({ length: 1_001 }, () => randomUUID());
  for (const body of [
    { affiliateIds: [] },
    { affiliateIds: many },
    { affiliateIds: null },
    { method: 'cheque' },
    { minAmount: 0 },
    { minAmount: 1.5 },
    { minAmount: 1e15 },
    { name: '' },
    { name: 'x\u0000' },
    { executionDate: '2026-02-30' },
    { belowThreshold: true },
  ])
    expect([body, (await draft(body)).status]).toEqual([body, 422]);
});
