import { raiseFlag } from '../../../src/domains/flags/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayable, sendSale, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
type Payable = Awaited<ReturnType<typeof makePayable>>;

const raise = ({ merchantId, programId, affiliateId }: Payable, conversionIds: string[], details: Record<string, unknown> = {}) =>
  raiseFlag(context(), { merchantId, programId, affiliateId, type: 'self_referral', details, conversionIds });

const flagOf = async (flagId: string) =>
  (await rowsOf(api, 'select *, due_at - newest_evidence_at as waits from flag where id = ?', [flagId]))[0];

const linksOf = async (flagId: string) =>
  (await rowsOf(api, 'select conversion_id from flag_conversion where flag_id = ? order by 1', [flagId])).map(
    ({ conversion_id }) => conversion_id,
  );

test('the first finding opens a flag, and the next ones are added to it', async () => {
  const own = await makePayable(api);
  const sale = await sendSale(api, own.program, { saleId: unique(), referralCode: own.code });
  const first = await raise(own, [own.conversionId], { sameEmail: true });
  const second = await raise(own, [own.conversionId, sale.data.conversionId], { sameVisitor: true });
  expect([first.opened, second]).toEqual([true, { flagId: first.flagId, opened: false }]);
  expect(await flagOf(first.flagId)).toMatchObject({
    status: 'open',
    conversion_count: 2,
    version: 2,
    details: { evidenceCount: 2, evidence: [{ sameEmail: true }, { sameVisitor: true }] },
  });
  expect(await linksOf(first.flagId)).toEqual([own.conversionId, sale.data.conversionId].sort());
});

test('the first finding and the newest nineteen are kept', async () => {
  const own = await makePayable(api);
  const { flagId } = await raise(own, [], { n: 1 });
  for (let n = 2; n <= 23; n++) await raise(own, [], { n });
  const { details } = (await flagOf(flagId)) as { details: { evidenceCount: number; evidence: { n: number }[] } };
  expect(details.evidenceCount).toBe(23);
  expect(details.evidence.map(({ n }) => n)).toEqual([1, ...Array.from({ length: 19 }, (_, at) => at + 5)]);
});

test('evidence moves the deadline, and never back', async () => {
  const own = await makePayable(api);
  const { flagId } = await raise(own, []);
  const at = async (daysAhead: number) => {
    const clock = { now: () => new Date(Date.now() + daysAhead * 86_400_000) };
    const { merchantId, programId, affiliateId } = own;
    const found = { merchantId, programId, affiliateId, type: 'self_referral', details: {}, conversionIds: [] } as const;
    await raiseFlag({ ...context(), clock }, found);
    return new Date((await flagOf(flagId))?.['due_at'] as string).getTime() - Date.now();
  };
  expect(Math.round((await at(3)) / 86_400_000)).toBe(17);
  expect(Math.round((await at(1)) / 86_400_000)).toBe(17);
});

test('conversions of another affiliate are not linked', async () => {
  const [own, other] = [await makePayable(api), await makePayable(api)];
  const { flagId } = await raise(own, [other.conversionId]);
  expect([await linksOf(flagId), (await flagOf(flagId))?.['conversion_count']]).toEqual([[], 0]);
});

test('findings at the same moment open one flag', async () => {
  const own = await makePayable(api);
  const raised = await Promise.all(Array.from({ length: 8 }, (_, n) => raise(own, [own.conversionId], { n })));
  expect(raised.filter(({ opened }) => opened)).toHaveLength(1);
  expect(new Set(raised.map(({ flagId }) => flagId)).size).toBe(1);
  expect(await flagOf(raised[0]?.flagId ?? '')).toMatchObject({ conversion_count: 1, details: { evidenceCount: 8 } });
});

test('a transaction that rolls back leaves no flag', async () => {
  const own = await makePayable(api);
  const { merchantId, programId, affiliateId } = own;
  const failed = inTransaction(context(), async (ctx) => {
    await raiseFlag(ctx, { merchantId, programId, affiliateId, type: 'manual_review', details: {}, conversionIds: [] });
    throw new Error('later step');
  });
  await expect(failed).rejects.toThrow('later step');
  expect(await rowsOf(api, 'select 1 from flag where affiliate_id = ?', [affiliateId])).toEqual([]);
});

test('long details are rejected', async () => {
  const own = await makePayable(api);
  await expect(raise(own, [], { text: 'x'.repeat(6_101) })).rejects.toThrow('short');
});
