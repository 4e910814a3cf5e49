import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makePayable, makeProgram, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();

/** An affiliate to whom a run would pay 20.00. */
const addPayable = async ({ program, programId }: Pick<Awaited<ReturnType<typeof makePayable>>, 'program' | 'programId'>) => {
  const { affiliateId, code } = await makeAffiliate(api.runtime, programId, `payable-${unique()}`);
  const { data } = await sendSale(api, program, { referralCode: code });
  return { affiliateId, conversionId: data.conversionId };
};

it('200: what a run would pay now, what waits and what is being paid, by currency, as the lists of each return it', async () => {
  const ready = await makePayable(api);
  const { key, program, programId } = ready;
  const euros = await makeProgram(api, key, { currency: 'EUR' });
  const inEuros = await makeAffiliate(api.runtime, euros.programId);
  await sendSale(api, euros, { amount: 50_000, currency: 'eur', referralCode: inEuros.code });
  const paying = await addPayable(ready);
  const waiting = await addPayable(ready);
  for (const { affiliateId } of [paying, waiting]) await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const [first] = (await api.call('GET', '/payouts', { key, query: { affiliateId: paying.affiliateId } })).data;
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await em.execute(`update payout set status = 'processing', processing_at = now() where id = ?`, [first.id]);

  const response = await api.call('GET', '/payouts/overview', { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    ready: [
      { currency: 'eur', amount: 10_000, count: 1 },
      { currency: 'usd', amount: 2_000, count: 1 },
    ],
    isReadyCapped: false,
    notStarted: [{ currency: 'usd', amount: 2_000, count: 1 }],
    processing: [{ currency: 'usd', amount: 2_000, count: 1 }],
  });
  const idsOf = async (path: string, query: Record<string, string>) =>
    (await api.call('GET', path, { key, query })).data.map(({ affiliateId }: { affiliateId: string }) => affiliateId);
  expect(await idsOf('/payouts/pending', { ready: 'true' })).toEqual([inEuros.affiliateId, ready.affiliateId]);
  expect(await idsOf('/payouts', { status: 'pending' })).toEqual([waiting.affiliateId]);
  expect(await idsOf('/payouts', { status: 'processing' })).toEqual([paying.affiliateId]);
  expect(program.programId).toBe(programId);
});

it('TR4: what is on hold, blocked, paused, below the minimum or without details is not ready', async () => {
  const of = await makePayable(api);
  const { key, program, programId } = of;
  const [flagged, blocked, paused] = [await addPayable(of), await addPayable(of), await addPayable(of)];
  const body = { affiliateId: flagged.affiliateId, conversionIds: [flagged.conversionId], note: 'Bids on our brand name' };
  expect((await api.call('POST', '/flags', { key, body })).status).toBe(201);
  await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key, body: {} });
  await api.call('PATCH', `/affiliates/${paused.affiliateId}`, { key, body: { payoutsPaused: true } });
  const little = await makeAffiliate(api.runtime, programId);
  await sendSale(api, program, { referralCode: little.code, amount: 1_000 });
  const nowhere = await makeAffiliate(api.runtime, programId, null);
  await sendSale(api, program, { referralCode: nowhere.code });

  expect((await api.call('GET', '/payouts/overview', { key })).data.ready).toEqual([
    { currency: 'usd', amount: 2_000, count: 1 },
  ]);
  const all = (await api.call('GET', '/payouts/pending', { key })).data;
  const reasons = new Map(all.map((row: { affiliateId: string; reason: string | null }) => [row.affiliateId, row.reason]));
  const reasonOf = ({ affiliateId }: { affiliateId: string }) => reasons.get(affiliateId);
  expect([of, flagged, blocked, paused, little, nowhere].map(reasonOf)).toEqual([
    null,
    'HELD_BY_FLAG',
    'AFFILIATE_BLOCKED',
    'PAYOUTS_PAUSED',
    'BELOW_THRESHOLD',
    'PAYOUT_DETAILS_MISSING',
  ]);
});

it('pages of those who are ready are as long as asked, and count all of them', async () => {
  const of = await makePayable(api);
  const second = await addPayable(of);
  const { key } = of;
  const first = await api.call('GET', '/payouts/pending', { key, query: { ready: 'true', limit: '1' } });
  expect(first.meta).toMatchObject({ total: 2, hasMore: true });
  const next = await api.call('GET', '/payouts/pending', {
    key,
    query: { ready: 'true', limit: '1', cursor: first.meta.nextCursor },
  });
  const ids = [...first.data, ...next.data].map(({ affiliateId }: { affiliateId: string }) => affiliateId);
  expect(ids).toEqual([second.affiliateId, of.affiliateId]);
});
