import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { mailsAbout } from '../../domains/notifications/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

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

it('MO1: from the threshold on, nothing is booked before a second actor approves it', async () => {
  const { adjust, decide, payable, listed, key, otherKeyId, merchantId, affiliateId, pay } = await makeMember();
  const created = await adjust(5_000, 'bonus');
  expect(created).toMatchObject({
    status: 201,
    data: { status: 'awaiting_approval', amount: 5_000, currency: 'usd', payoutId: null, approvedBy: null, approvedAt: null },
  });
  const { data: adjustment } = created;
  expect(await payable()).toEqual({ payable: 2_000, open: 0 });
  expect(await listed()).toEqual([adjustment]);
  const mails = await mailsAbout(api.runtime, adjustment.id);
  expect(mails).toMatchObject([{ kind: 'adjustment_approval', subject: expect.stringContaining('50.00 USD for ') }]);
  const own = await decide(adjustment.id, 'approve', key);
  expect(own).toMatchObject({ status: 409, error: { details: { reason: 'SAME_ACTOR', cause: 'same_line' } } });
  const newer = await makeKey(api.runtime, { ownerId: merchantId });
  expect((await decide(adjustment.id, 'approve', newer.key)).error.details).toMatchObject({ cause: 'newer_key' });
  expect(await payable()).toEqual({ payable: 2_000, open: 0 });
  const approved = await decide(adjustment.id, 'approve');
  const expected = { ...adjustment, status: 'booked', approvedBy: `key:${otherKeyId}`, approvedAt: expect.any(String) };
  expect([approved.status, approved.data]).toEqual([200, expected]);
  expect(await payable()).toEqual({ payable: 7_000, open: 0 });
  expect(await listed()).toEqual([approved.data]);
  expect(await decide(adjustment.id, 'approve')).toMatchObject(DECIDED);
  expect(await decide(adjustment.id, 'cancel')).toMatchObject(DECIDED);
  expect(await payable()).toEqual({ payable: 7_000, open: 0 });
  const paid = await pay(affiliateId);
  expect(paid.data).toMatchObject({ amount: 7_000, approvalRequiredAt: expect.any(String) });
  expect((await listed())[0]).toMatchObject({ payoutId: paid.data.id });
  const audit = await api.call('GET', '/audit-log', { key, query: { resourceType: 'adjustment' } });
  expect(audit.data.map(({ action }: { action: string }) => action)).toEqual(['adjustment.approved', 'adjustment.requested']);
});

it('deductions count by their amount, and smaller adjustments are booked at once', async () => {
  const { adjust, decide, payable, listed } = await makeMember();
  const small = await adjust(4_999, 'bonus');
  expect(small.data).toMatchObject({ status: 'booked' });
  expect((await adjust(-4_999, 'clawback')).data).toMatchObject({ status: 'booked' });
  const large = await adjust(-5_000, 'clawback');
  expect(large.data).toMatchObject({ status: 'awaiting_approval' });
  expect(await mailsAbout(api.runtime, large.data.id)).toMatchObject([{ kind: 'adjustment_approval' }]);
  expect(await payable()).toEqual({ payable: 2_000, open: 4_999 });
  expect((await decide(large.data.id, 'approve')).status).toBe(200);
  expect(await payable()).toEqual({ payable: -3_000, open: 9_999 });
  expect((await listed()).map(({ amount }: { amount: number }) => amount)).toEqual([-5_000, -4_999, 4_999]);
  for (const verb of ['approve', 'cancel'])
    expect((await decide(small.data.id, verb)).error.details).toEqual({ reason: 'APPROVAL_NOT_REQUIRED', status: 'booked' });
});

it('of decisions at once one wins, and it is booked once at most', async () => {
  const { adjust, decide, payable, key } = await makeMember();
  let expected = 2_000;
  for (let round = 0; round < 5; round++) {
    const { data } = await adjust(5_000, 'bonus');
    const answers = await Promise.all([decide(data.id, 'approve'), decide(data.id, 'cancel', key), decide(data.id, 'approve')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const winner = answers.find(({ status }) => status === 200);
    if (winner?.data.status === 'booked') expected += 5_000;
    expect(await payable()).toEqual({ payable: expected, open: 0 });
  }
});

it('409 OTHER_CURRENCY: the currency of the program changed before anything was booked', async () => {
  const { adjust, decide, payable, programId } = await makeMember();
  const { data } = await adjust(5_000, 'bonus');
  await rowsOf(api, "update program set currency = 'eur' where id = ? returning id", [programId]);
  expect((await decide(data.id, 'approve')).error.details).toEqual({ reason: 'OTHER_CURRENCY', currency: 'eur' });
  await rowsOf(api, "update program set currency = 'usd' where id = ? returning id", [programId]);
  expect(await payable()).toEqual({ payable: 2_000, open: 0 });
});
