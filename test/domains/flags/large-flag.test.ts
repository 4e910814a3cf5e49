import { rejectFlagged } from '../../../src/domains/flags/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';
import { flagActions, raise } from '../../support/flags.ts';
import { addCommissions } from '../../support/many-commissions.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const conversionsOf = async (affiliateId: string): Promise<string[]> =>
  (await rows(context().em, sql<{ id: string }>`select id from conversion where affiliate_id = ${affiliateId}::uuid`)).map(
    ({ id }) => id,
  );

const setUp = async (count: number) => {
  const payable = await makePayable(api);
  await addCommissions(api, payable, count - 1);
  const { flagId } = await raise(api, payable, { conversionIds: await conversionsOf(payable.affiliateId) });
  return { ...payable, flagId, ...flagActions(api, payable, flagId) };
};

test('a confirmed flag rejects a batch in the request, holds the rest, and the workflow rejects it', async () => {
  const { flagId, resolve, pay, balance, readFlag } = await setUp(350);
  const { data } = await resolve('confirmed');
  expect(data).toMatchObject({ conversionCount: 350, holdEndedAt: null });
  expect((await balance())?.payable).toBe(250);
  expect((await pay()).error.details.reason).toBe('NOTHING_PAYABLE');
  expect(await rejectFlagged(context(), { flagId })).toMatchObject({ isHolding: false, held: 0, heldMinor: '0' });
  expect([(await readFlag()).holdEndedAt, (await balance())?.payable]).toEqual([expect.any(String), 0]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('several workers reject each commission once', async () => {
  const { flagId, resolve, balance, merchantId } = await setUp(450);
  await resolve('confirmed');
  await Promise.all(Array.from({ length: 3 }, () => rejectFlagged(context(), { flagId })));
  expect(await balance()).toMatchObject({ payable: 0 });
  const events = await rows(
    context().em,
    sql<{ count: number }>`select count(*)::int as count from webhook_event
      where merchant_id = ${merchantId}::uuid and type = 'conversion.refunded'`,
  );
  expect(events).toEqual([{ count: 450 }]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('a dismissed flag ends its hold without touching the conversions', async () => {
  const { resolve, pay } = await setUp(350);
  expect((await resolve('dismissed')).data.holdEndedAt).toEqual(expect.any(String));
  expect((await pay()).data.amount).toBe(2_000 + 349);
});
