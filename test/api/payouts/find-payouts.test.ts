import { makeAffiliate, makePayable, sendSale } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { payByRail, railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

beforeEach(() => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
});

const finder =
  ({ key }: { key: string }, path = '/payouts') =>
  async (query: Record<string, string>) => {
    const response = await api.call('GET', path, { key, query });
    if (response.status !== 200) throw new Error(response.text);
    return response;
  };

const idsOf = (response: { data: { id: string }[] }): string[] => response.data.map(({ id }) => id);

/** Two payouts of one merchant, one after the other completed. */
const payTwo = async () => {
  const first = await makePayable(api);
  const second = await makeAffiliate(api.runtime, first.programId);
  await sendSale(api, first.program, { amount: 10_000, referralCode: second.code });
  const pay = async (affiliateId: string): Promise<string> =>
    (await api.call('POST', '/payouts', { key: first.key, body: { affiliateId, programId: first.programId } })).data.id;
  const ids = [await pay(first.affiliateId), await pay(second.affiliateId)] as const;
  for (const id of ids) {
    const payout = railSteps(api, id, first.key);
    await payout.send();
    await payout.report('paid');
  }
  const set = (id: string, at: string) => rowsOf(api, 'update payout set rail_paid_at = ? where id = ?', [at, id]);
  await set(ids[0], '2026-02-27T10:00:00Z');
  await set(ids[1], '2026-01-31T23:59:59.999Z');
  return { ...first, ids, second };
};

it('FI13: a payout names the affiliate and the program, as its events do, and keeps the names that it was created with', async () => {
  const { payoutId, programName, code, key, read, merchantId, programId } = await makeManualPayout(api);
  const names = { affiliateCode: code, affiliateName: 'Ada Test', programName };
  expect(await read()).toMatchObject(names);
  expect((await finder({ key })({})).data).toMatchObject([names]);
  const [event] = await rowsOf(
    api,
    `select convert_from(body, 'UTF8')::jsonb -> 'data' as data from webhook_event where merchant_id = ?`,
    [merchantId],
  ).then((events) => events.filter(({ data }) => data.id === payoutId));
  expect(event?.data ?? names).toMatchObject(names);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { name: 'Another name' } });
  expect(await read()).toMatchObject(names);
});

it('FI13: paidFrom and paidTo list what was paid in a month, the last paid first, in pages, whatever became of it later', async () => {
  const { key, ids, ...merchant } = await payTwo();
  const find = finder({ key });
  expect(idsOf(await find({ paidFrom: '2026-01-01T00:00:00Z' }))).toEqual([ids[0], ids[1]]);
  expect(idsOf(await find({ paidTo: '2026-02-01T00:00:00Z' }))).toEqual([ids[1]]);
  expect(idsOf(await find({ paidFrom: '2026-02-01T00:00:00Z', paidTo: '2026-02-28T00:00:00Z' }))).toEqual([ids[0]]);
  const first = await find({ paidFrom: '2026-01-01T00:00:00Z', limit: '1' });
  expect(first.meta).toMatchObject({ total: 2, hasMore: true });
  const next = await find({ paidFrom: '2026-01-01T00:00:00Z', limit: '1', cursor: first.meta.nextCursor });
  expect(idsOf(next)).toEqual([ids[1]]);
  const returned = railSteps(api, ids[1], key);
  await returned.notify('returned');
  await returned.bookReturn();
  expect((await find({ paidTo: '2026-02-01T00:00:00Z' })).data).toMatchObject([{ id: ids[1], status: 'failed' }]);
  expect(idsOf(await find({ paidTo: '2026-02-01T00:00:00Z', status: 'completed' }))).toEqual([]);
  const stats = await finder({ key }, '/payouts/stats')({ paidFrom: '2026-01-01T00:00:00Z', paidTo: '2026-02-01T00:00:00Z' });
  expect(stats.data).toMatchObject({ totalPaid: 0, totalFailed: 2000, count: 1, currency: 'usd' });
  const all = await finder({ key }, '/payouts/stats')({ paidFrom: '2026-02-01T00:00:00Z', programId: merchant.programId });
  expect(all.data).toMatchObject({ totalPaid: 2000, totalFailed: 0, count: 1 });
});

it('FI13: code, name and q find the payouts of an affiliate, and no others', async () => {
  const { key, ids, code, second } = await payTwo();
  const find = finder({ key });
  expect(idsOf(await find({ code: code.toUpperCase() }))).toEqual([ids[0]]);
  expect(idsOf(await find({ code: second.code }))).toEqual([ids[1]]);
  expect(idsOf(await find({ code: 'nobody-has-it' }))).toEqual([]);
  expect(idsOf(await find({ name: 'aDA t' }))).toEqual([ids[1], ids[0]]);
  expect(idsOf(await find({ name: code }))).toEqual([]);
  expect(idsOf(await find({ q: code.slice(1) }))).toEqual([ids[0]]);
  expect(idsOf(await find({ q: 'da te', code }))).toEqual([ids[0]]);
  for (const wild of ['%', '\\', 'd%t', 'd__t']) {
    expect(idsOf(await find({ q: wild }))).toEqual([]);
    expect(idsOf(await find({ name: wild }))).toEqual([]);
  }
  const other = await makePayable(api);
  expect(idsOf(await finder(other)({ code }))).toEqual([]);
  expect(idsOf(await finder(other)({ q: code }))).toEqual([]);
});

it("FI13: reference and q find a payout by the rail's reference, the bank's, and that of its return", async () => {
  const railPayout = await payByRail(api);
  await railPayout.send();
  await railPayout.notify('paid', { transferId: 'trf_1' });
  const byRail = finder(railPayout);
  expect(idsOf(await byRail({ reference: 'TRF_1' }))).toEqual([railPayout.payoutId]);
  expect(idsOf(await byRail({ reference: 'trf_' }))).toEqual([]);
  expect(idsOf(await byRail({ q: 'rf_' }))).toEqual([railPayout.payoutId]);
  const { key, payoutId, act } = await makeManualPayout(api);
  const find = finder({ key });
  await act('process');
  await act('complete', { bankReference: 'SCT 2026-4711/50%' });
  expect(idsOf(await find({ reference: 'sct 2026-4711/50%' }))).toEqual([payoutId]);
  expect(idsOf(await find({ reference: 'trf_1' }))).toEqual([]);
  expect(idsOf(await find({ q: '4711/50%' }))).toEqual([payoutId]);
  await act('return', { note: 'Account closed', bankReference: 'RET 99' });
  expect(idsOf(await find({ reference: 'ret 99' }))).toEqual([payoutId]);
  expect(idsOf(await find({ q: 'ret 9', status: 'failed' }))).toEqual([payoutId]);
});

it.each<Record<string, string>>([
  { paidFrom: 'yesterday' },
  { paidTo: '2026-13-01' },
  { code: 'a' },
  { code: 'x y z' },
  { name: '' },
  { name: 'n'.repeat(101) },
  { reference: 'r'.repeat(141) },
  { q: 'a\u0000b' },
  { q: ' ' },
])('FI13: 400 for %j', async (query) => {
  const { key } = await makePayable(api);
  expect((await api.call('GET', '/payouts', { key, query })).status).toBe(400);
});

test('a payout is found by its payment reference, in any case, by nobody else, and a later prefix leaves it as it is', async () => {
  const { payoutId, key, read, merchantId, keyId } = await makeManualPayout(api);
  const { paymentReference } = await read();
  expect(paymentReference).toMatch(/^[A-Z][A-Z0-9]{1,4}-\d+$/);
  const find = finder({ key });
  const queries: Record<string, string>[] = [
    { reference: paymentReference },
    { reference: paymentReference.toLowerCase() },
    { q: paymentReference },
  ];
  for (const query of queries) expect(idsOf(await find(query))).toEqual([payoutId]);
  const other = await makeManualPayout(api);
  expect(idsOf(await finder(other)({ reference: paymentReference }))).toEqual([]);
  expect((await other.read()).paymentReference).not.toBe(paymentReference);
  await api.call('PATCH', '/merchant', { key, body: { paymentPrefix: 'NW7' } });
  expect((await read()).paymentReference).toBe(paymentReference);
  const later = await makeManualPayout(api, { merchant: { merchantId, keyId, key } });
  expect((await later.read()).paymentReference).toMatch(/^NW7-\d+$/);
  expect(idsOf(await find({ q: 'nw7-' }))).toEqual([later.payoutId]);
});
