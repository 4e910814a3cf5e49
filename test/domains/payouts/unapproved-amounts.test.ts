import { makeManualRun } from '../../api/payout-runs/by-hand.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });

describe('B2: what somebody paid without approval and says was not paid', () => {
  it('counts for 24 hours, so that it is not repeated below the threshold', async () => {
    const { affiliates, key, otherKey, pay, act, merchantId } = await makeApprovals(api, { members: 3 });
    const [first, second, third] = affiliates;
    const { data: paid } = await pay(first);
    await act(paid.id, 'process', key);
    expect((await act(paid.id, 'fail', key)).data).toMatchObject({ status: 'failed', failureCode: 'marked_failed' });
    const repeat = await pay(first);
    expect(repeat.data).toMatchObject({ amount: 2_000, approvalRequiredAt: null });
    await act(repeat.data.id, 'process', key);
    await act(repeat.data.id, 'fail', key);
    const again = await pay(first);
    expect(again.data).toMatchObject({ amount: 2_000, approvalRequiredAt: again.data.createdAt });
    expect((await pay(second, otherKey)).data.approvalRequiredAt).toBeNull();
    await rowsOf(api, `update payout set created_at = created_at - interval '24 hours' where merchant_id = ?`, [merchantId]);
    expect((await pay(third)).data.approvalRequiredAt).toBeNull();
  });

  it.each([
    ['fail', (payoutIds: string[]) => ({ payoutIds })],
    [
      'results',
      (payoutIds: string[]) => ({
        csv: ['payoutId,bankReference,executedAt,result', ...payoutIds.map((id) => `${id},,,failed`)].join('\n'),
      }),
    ],
  ] as const)('counts when many are recorded at once by %s', async (verb, bodyOf) => {
    const { key, merchantId, runId, payoutIds, act } = await makeManualRun(api, 2);
    await makeKey(api.runtime, { ownerId: merchantId });
    await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 5_000 } } });
    await act('process');
    expect((await act(verb, bodyOf(payoutIds))).data).toMatchObject({ done: 2, refused: 0 });
    await rowsOf(api, `update payout_run set status = 'completed', finished_at = now() where id = ?`, [runId]);
    const { data: retry } = await api.call('POST', `/payouts/${payoutIds[0]}/retry`, { key });
    expect(retry).toMatchObject({ amount: 2_000, approvalRequiredAt: retry.createdAt });
  });
});
