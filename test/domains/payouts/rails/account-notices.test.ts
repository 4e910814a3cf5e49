import { randomUUID } from 'node:crypto';
import { readVersions } from '../../../../src/domains/payouts/rails/notice-accounts.cache.ts';
import { rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import type { RawNotice } from '../../../support/rails/conformance.ts';
import { FAKE_ACCOUNT } from '../../../support/rails/fake-account-rail.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api);

const send = (merchantId: string, { headers, rawBody }: RawNotice, more: Record<string, string> = {}) =>
  api.raw('POST', `/api/integrations/rails/fake_account/${merchantId}`, {
    body: rawBody.toString(),
    headers: { ...(headers as Record<string, string>), ...more },
  });

const noticesOf = (payoutId: string): RawNotice[] => fake.provider.notices.filter(({ reference }) => reference === payoutId);

const lastOf = (payoutId: string): RawNotice => {
  const last = noticesOf(payoutId).at(-1);
  if (!last) throw new Error('no notice');
  return last;
};

test('a notice pays when reference, amount and currency agree; its repeat and an earlier one change nothing', async () => {
  const { merchantId, sent } = await fake.merchant();
  const payout = await sent();
  const [pending, done] = noticesOf(payout.payoutId) as [RawNotice, RawNotice];
  const both = await Promise.all([send(merchantId, done), send(merchantId, done)]);
  expect(both.map(({ data }) => data.outcome).sort()).toEqual(['recorded', 'repeated']);
  expect(await payout.load()).toMatchObject({ status: 'completed' });
  expect((await send(merchantId, pending)).data).toEqual({ outcome: 'recorded' });
  expect(await payout.load()).toMatchObject({ status: 'completed', needsAttention: false });
  expect(await payout.attempt()).toMatchObject({ rail_references: { item: expect.any(String), batch: expect.any(String) } });
});

test('a notice that names another transfer of the same kind pays nothing, and the provider is asked', async () => {
  const { merchantId, sent, client } = await fake.merchant();
  const payout = await sent('waiting');
  const { payment } = JSON.parse(lastOf(payout.payoutId).rawBody.toString());
  const other = fake.provider.sign(client, {
    id: 'other',
    at: new Date().toISOString(),
    payment: { ...payment, id: 'fp_0', state: 'DONE' },
  });
  expect((await send(merchantId, other)).data).toEqual({ outcome: 'recorded' });
  expect(await payout.load()).toMatchObject({ status: 'processing', lookUpRequested: true });
});

test('a failure without its reason, and a notice that says nothing more, are looked up; with its reason a failure counts', async () => {
  const { merchantId, client, sent } = await fake.merchant();
  const unclear = await sent('waiting');
  await send(merchantId, fake.provider.move(unclear.payoutId, 'REFUSED'));
  expect(await unclear.load()).toMatchObject({ status: 'processing', lookUpRequested: true });
  fake.provider.move(unclear.payoutId, 'REFUSED', 'PAYEE_CLOSED');
  expect(await unclear.lookUp()).toMatchObject({ status: 'failed', railReason: 'PAYEE_CLOSED' });

  const silent = await sent('waiting');
  const batch = { id: randomUUID(), at: new Date().toISOString(), batch: { key: `payout-${silent.payoutId}-1` } };
  expect((await send(merchantId, fake.provider.sign(client, batch))).data).toEqual({ outcome: 'recorded' });
  expect(await silent.load()).toMatchObject({ status: 'processing', lookUpRequested: true });
  expect(await silent.lookUp()).toMatchObject({ attemptOutcome: 'accepted', lookUpRequested: false });

  const clear = await sent('waiting');
  await send(merchantId, fake.provider.move(clear.payoutId, 'REFUSED', 'PAYEE_CLOSED'));
  expect(await clear.load()).toMatchObject({ status: 'failed', railReason: 'PAYEE_CLOSED' });
});

test('a notice that says nothing more opens nothing on a payout that has ended', async () => {
  const { merchantId, client, sent } = await fake.merchant();
  const payout = await sent();
  await payout.lookUp();
  const batch = { id: randomUUID(), at: new Date().toISOString(), batch: { key: `payout-${payout.payoutId}-1` } };
  await send(merchantId, fake.provider.sign(client, batch));
  expect(await payout.load()).toMatchObject({ status: 'completed', needsAttention: false, lookUpRequested: false });
  expect(await payout.corrections()).toEqual([]);
});

test('a notice of an old version of the account counts while an attempt of it is open or may come back, and no longer', async () => {
  const { merchantId, client, accountId, store, sent } = await fake.merchant();
  const payout = await sent('waiting');
  await store(`${client}b`);
  expect((await payout.attempt()).rail_account_id).toBe(accountId);
  expect((await send(merchantId, fake.provider.move(payout.payoutId, 'DONE'))).data).toEqual({ outcome: 'recorded' });
  expect(await payout.load()).toMatchObject({ status: 'completed' });
  await rowsOf(api, `update payout_attempt set updated_at = now() - interval '2 days' where payout_id = ?`, [payout.payoutId]);
  const target = { merchantId, rail: FAKE_ACCOUNT };
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  expect((await readVersions(ctx, target, false)).map(({ id }) => id)).not.toContain(accountId);
});

test('an account says nothing about a payout of another merchant, before or after it is sent', async () => {
  const [mine, other] = [await fake.merchant(), await fake.merchant()];
  const [sent, waiting] = [await other.sent('waiting'), await other.pay('waiting')];
  const { payment } = JSON.parse(lastOf(sent.payoutId).rawBody.toString());
  for (const { payoutId } of [sent, waiting]) {
    const about = { ...payment, key: `payout-${payoutId}-1`, reference: payoutId, state: 'DONE' };
    const notice = fake.provider.sign(mine.client, { id: randomUUID(), at: new Date().toISOString(), payment: about });
    expect((await send(mine.merchantId, notice)).data).toEqual({ outcome: 'unknown_transfer' });
  }
  expect(await sent.load()).toMatchObject({ status: 'processing', attemptOutcome: 'accepted', lookUpRequested: false });
  expect(await waiting.send()).toMatchObject({ attemptOutcome: 'accepted', sendCount: 1 });
});

test('two accounts may give their notices the same id', async () => {
  const id = randomUUID();
  for (const { merchantId, client, sent } of [await fake.merchant(), await fake.merchant()]) {
    const payout = await sent('waiting');
    const { payment } = JSON.parse(fake.provider.move(payout.payoutId, 'DONE').rawBody.toString());
    const notice = fake.provider.sign(client, { id, at: new Date().toISOString(), payment });
    expect((await send(merchantId, notice)).data).toEqual({ outcome: 'recorded' });
    expect(await payout.load()).toMatchObject({ status: 'completed' });
  }
});

test('the provider is told what it has to know: foreign and unknown messages are taken, others are refused', async () => {
  const { merchantId, client, sent } = await fake.merchant();
  const { payoutId } = await sent('waiting');
  const { payment } = JSON.parse(lastOf(payoutId).rawBody.toString());
  const at = new Date().toISOString();
  const signed = (body: object) => fake.provider.sign(client, body);
  const foreign = await send(merchantId, signed({ id: 'f', at, payment: { ...payment, key: 'shop-1' } }));
  expect([foreign.status, foreign.data]).toEqual([200, { outcome: 'ignored' }]);
  const unknown = await send(merchantId, signed({ id: 'u', at, payment: { ...payment, state: 'TOMORROW' } }));
  expect([unknown.status, unknown.data]).toEqual([200, { outcome: 'ignored' }]);
  const forged = await send(merchantId, { ...signed({ id: 'x', at }), rawBody: Buffer.from('{"id":"y"}') });
  expect([forged.status, forged.error.code]).toEqual([401, 'UNAUTHORIZED']);
  const unreadable = await send(merchantId, signed({ what: 'ever' }));
  expect([unreadable.status, unreadable.error.code]).toEqual([400, 'BAD_REQUEST']);
  const later = await send(merchantId, lastOf(payoutId), { 'x-key': 'unreachable' });
  expect([later.status, later.error.code, later.headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '60']);
});

test.each(['sandbox', 'manual', 'constructor', 'nowhere'])('there is no account on the rail %s', async (rail) => {
  const { merchantId } = await fake.merchant();
  const response = await api.raw('POST', `/api/integrations/rails/${rail}/${merchantId}`, { body: '{}' });
  expect([response.status, response.error.code]).toEqual([404, 'NOT_FOUND']);
});

test.each([randomUUID(), 'x', '%00', 'x'.repeat(3_000)])('there is no account of the merchant %s', async (merchantId) => {
  const response = await api.raw('POST', `/api/integrations/rails/fake_account/${merchantId}`, { body: '{}' });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
});

test('a new secret of the account counts at once', async () => {
  const { merchantId, client, store, sent } = await fake.merchant();
  const payout = await sent('waiting');
  await send(merchantId, lastOf(payout.payoutId));
  await store(`${client}b`);
  const young = await sent('waiting');
  expect((await send(merchantId, fake.provider.move(young.payoutId, 'DONE'))).data).toEqual({ outcome: 'recorded' });
});
