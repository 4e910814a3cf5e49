import { DAY_MS } from '../../../src/platform/clock.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makePayable, makeProgram, sendIdentification, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

/** A lead of an affiliate, a customer of the affiliate who was a lead first, and a customer of nobody. */
const setUp = async () => {
  const made = await makePayable(api);
  const { key, merchantId, programId, program, affiliateId, code } = made;
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await execute(em, sql`update affiliate set created_at = now() - interval '1 year' where id = ${affiliateId}::uuid`);
  const [lead, paid, organic] = [`lead-${unique()}`, `paid-${unique()}`, `organic-${unique()}`];
  const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
  const [occurredAt, paidAt] = [daysAgo(20), daysAgo(19)];
  await sendIdentification(api, program, { customer: { id: lead }, referralCode: code, occurredAt });
  await sendIdentification(api, program, { customer: { id: paid }, referralCode: code, occurredAt });
  await sendSale(api, program, { customer: { id: paid, email: `${paid}@example.org` }, occurredAt: paidAt });
  await sendSale(api, program, { customer: { id: organic } });
  const list = (query: Record<string, string> = {}) => api.call('GET', '/customers', { key, query });
  const idsOf = async (query: Record<string, string>) =>
    (await list(query)).data.map(({ customerId }: { customerId: string }) => customerId);
  return { ...made, merchantId, programId, lead, paid, organic, occurredAt, paidAt, list, idsOf };
};

it('IN3: lists leads and customers, newest first, with the affiliate and the times of the sign-up and the first payment', async () => {
  const { list, lead, paid, organic, programId, affiliateId, occurredAt, paidAt } = await setUp();
  const { status, data, meta } = await list();
  expect(status).toBe(200);
  expect(meta.total).toBe(4);
  const common = { id: expect.any(String), programId, createdAt: expect.any(String) };
  const ofAffiliate = { ...common, affiliateId, attributedAt: occurredAt, identifiedAt: occurredAt };
  expect(data.slice(0, 3)).toEqual([
    {
      ...common,
      affiliateId: null,
      status: 'customer',
      customerId: organic,
      customerIds: [organic],
      attributedAt: null,
      identifiedAt: null,
      firstPaidAt: expect.any(String),
    },
    { ...ofAffiliate, status: 'customer', customerId: paid, customerIds: [paid], firstPaidAt: paidAt },
    { ...ofAffiliate, status: 'lead', customerId: lead, customerIds: [lead], firstPaidAt: null },
  ]);
});

it('filters by program, affiliate, status, id and time, with exact totals', async () => {
  const { list, idsOf, key, lead, paid, organic, programId, affiliateId } = await setUp();
  const other = await makeProgram(api, key);
  await sendSale(api, other, { customer: { id: paid } });
  expect(await idsOf({ programId: other.programId })).toEqual([paid]);
  expect(await idsOf({ status: 'lead' })).toEqual([lead]);
  expect((await list({ status: 'customer', programId })).meta.total).toBe(3);
  expect((await idsOf({ affiliateId, programId })).slice(0, 2)).toEqual([paid, lead]);
  expect(await idsOf({ customerId: paid })).toEqual([paid, paid]);
  expect(await idsOf({ customerId: organic, programId: other.programId })).toEqual([]);
  expect(await idsOf({ programId: MISSING_ID })).toEqual([]);
  expect(await idsOf({ from: '2099-01-01T00:00:00Z' })).toEqual([]);
  expect((await list({ to: '2099-01-01T00:00:00Z' })).meta.total).toBe(5);
});

it('400 for an unknown status, and nothing of other merchants', async () => {
  const { list, paid } = await setUp();
  expect((await list({ status: 'visitor' })).status).toBe(400);
  const { key } = await makeMerchant(api.runtime);
  const { data, meta } = await api.call('GET', '/customers', { key, query: { customerId: paid } });
  expect([data, meta.total]).toEqual([[], 0]);
});

it('IN3: statistics count leads and customers of affiliates, by the time of the sign-up and of the first payment', async () => {
  const { key, programId } = await setUp();
  const { data: ofProgram } = await api.call('GET', `/programs/${programId}/stats`, { key });
  expect(ofProgram).toMatchObject({ leads: 2, customers: 2 });
  const { data: all } = await api.call('GET', '/conversions/stats', { key });
  expect(all).toMatchObject({ leads: 2, customers: 2 });
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await execute(em, sql`update customer set identified_at = now() - interval '8 days' where program_id = ${programId}::uuid`);
  const { data: week } = await api.call('GET', `/programs/${programId}/stats`, { key, query: { period: '7d' } });
  expect(week.leads).toBe(0);
});
