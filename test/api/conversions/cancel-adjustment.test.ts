import { expireAdjustments } from '../../../src/domains/conversions/use-cases/decide-adjustment.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const context = (clock = api.runtime.clock) => ({ ...api.runtime.context({ kind: 'system', name: 'test' }), clock });

/** An affiliate to whom 20.00 usd is payable, of a merchant with an approval threshold of 50.00 usd. */
const makeMember = async () => {
  const approvals = await makeApprovals(api);
  const { affiliateId, key } = approvals;
  const payable = async () => {
    const [row] = await rowsOf(api, 'select payable, open_adjustments as open from ledger_balance where affiliate_id = ?', [
      affiliateId,
    ]);
    return { payable: Number(row?.['payable']), open: Number(row?.['open']) };
  };
  const listed = async () => (await api.call('GET', `/affiliates/${affiliateId}/adjustments`, { key })).data;
  return { ...approvals, payable, listed };
};

afterEach(async () => {
  expect(await verifyLedger(context())).toEqual([]);
});

const DECIDED = { status: 409, error: { details: { reason: 'ALREADY_DECIDED' } } };

it('expires after 7 days, or is refused', async () => {
  const { adjust, decide, payable, listed, key } = await makeMember();
  const { data: first } = await adjust(5_000, 'bonus');
  const { data: second } = await adjust(9_000, 'correction');
  expect(await decide(second.id, 'cancel', key)).toMatchObject({ status: 200, data: { ...second, status: 'cancelled' } });
  const inDays = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000) });
  await expireAdjustments(context(inDays(6.9)));
  expect((await listed())[1]).toMatchObject({ status: 'awaiting_approval' });
  expect(await expireAdjustments(context(inDays(7.1)))).toBeGreaterThan(0);
  expect(await expireAdjustments(context(inDays(7.1)))).toBe(0);
  expect(await listed()).toMatchObject([
    { id: second.id, status: 'cancelled' },
    { id: first.id, status: 'expired', approvedBy: null },
  ]);
  expect(await decide(first.id, 'approve')).toMatchObject(DECIDED);
  expect(await payable()).toEqual({ payable: 2_000, open: 0 });
  const audit = await api.call('GET', '/audit-log', { key, query: { resourceId: first.id } });
  expect(audit.data[0]).toMatchObject({ action: 'adjustment.expired', actor: 'system:test' });
});

it('404 and 403: a missing adjustment, and those of another merchant', async () => {
  const { adjust } = await makeMember();
  const ids = [(await adjust(5_000, 'bonus')).data.id, (await adjust(100, 'bonus')).data.id];
  const { key } = await makeMerchant(api.runtime);
  for (const verb of ['approve', 'cancel']) {
    expect((await api.call('POST', `/adjustments/${MISSING_ID}/${verb}`, { key })).status).toBe(404);
    for (const id of ids) expect((await api.call('POST', `/adjustments/${id}/${verb}`, { key })).status).toBe(403);
  }
});
