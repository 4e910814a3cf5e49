import { mailsAbout } from '../../domains/notifications/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });

/** A pending payout of 100.00 usd that waits for approval. */
const makeWaiting = async () => {
  const approvals = await makeApprovals(api, { amount: 50_000, local: 'grace' });
  const { data: payout } = await approvals.pay();
  const act = (verb: string, by?: string) => approvals.act(payout.id, verb, by);
  return { ...approvals, payout, payoutId: payout.id as string, act };
};

const sameActor = (cause: string) => ({ status: 409, error: { details: { reason: 'SAME_ACTOR', cause } } });

describe('MO1: from the threshold on', () => {
  it('a payout is paid once a second actor approved it, and the timeline says who, what and where', async () => {
    const { payout, payoutId, act, read, timeline, key, keyId, otherKeyId, merchantId } = await makeWaiting();
    expect(payout).toMatchObject({ status: 'pending', amount: 10_000, approvalRequiredAt: payout.createdAt });
    expect(payout).toMatchObject({ approvedBy: null, approvedAt: null });
    const early = await act('process', key);
    expect(early).toMatchObject({ status: 409, error: { details: { reason: 'APPROVAL_REQUIRED' } } });
    expect((await act('process')).status).toBe(409);
    expect((await act('complete')).status).toBe(409);
    expect(await act('approve', key)).toMatchObject(sameActor('same_line'));
    const made = await api.call('POST', '/auth/keys', { key, body: { name: 'made', preset: 'merchant:full' } });
    expect(await act('approve', made.data.value)).toMatchObject(sameActor('same_line'));
    const newer = await makeKey(api.runtime, { ownerId: merchantId });
    expect(await act('approve', newer.key)).toMatchObject(sameActor('newer_key'));
    expect(await read(payoutId)).toMatchObject(payout);
    const approved = await act('approve');
    expect(approved).toMatchObject({
      status: 200,
      data: { ...payout, approvedBy: `key:${otherKeyId}`, approvedAt: expect.any(String) },
    });
    expect(await act('process', key)).toMatchObject({ status: 200, data: { status: 'processing' } });
    const payment = '100.00 USD to g***@example.com';
    expect(await timeline(payoutId)).toMatchObject([
      { type: 'created', actor: `key:${keyId}` },
      { type: 'approval_requested', actor: `key:${keyId}`, note: payment },
      { type: 'approved', actor: `key:${otherKeyId}`, note: payment, description: 'Approved' },
      { type: 'attempt_reserved', from: 'pending', to: 'processing' },
    ]);
    const mails = (await mailsAbout(api.runtime, payoutId)).filter(({ kind }) => kind === 'payout_approval');
    expect(mails).toMatchObject([{ subject: expect.stringMatching(/^Payout awaiting your approval: 100\.00 USD to /) }]);
    expect(mails[0]?.text).toContain(`/console/payouts/${payoutId}`);
    expect(JSON.stringify(mails)).not.toContain('grace@');
  });

  it('a payout of exactly the threshold waits, and one of a cent less does not', async () => {
    const [at, above] = [await makeApprovals(api, { threshold: 2_000 }), await makeApprovals(api, { threshold: 2_001 })];
    const [waiting, free] = [await at.pay(), await above.pay()];
    expect(waiting.data).toMatchObject({ amount: 2_000, approvalRequiredAt: waiting.data.createdAt });
    expect(free.data).toMatchObject({ amount: 2_000, approvalRequiredAt: null });
  });

  it('cancelling refuses it, whoever does, and nothing can be approved then', async () => {
    const { payoutId, act, key } = await makeWaiting();
    expect(await act('cancel', key)).toMatchObject({ data: { status: 'failed', failureCode: 'cancelled', approvedAt: null } });
    const late = await act('approve');
    expect(late.error.details).toEqual({ reason: 'ALREADY_DECIDED', status: 'failed', approvedAt: null });
    const retry = await api.call('POST', `/payouts/${payoutId}/retry`, { key });
    expect(retry.data).toMatchObject({ retryOf: payoutId, approvalRequiredAt: retry.data.createdAt });
  });

  it('of approvals and cancellations at once one wins', async () => {
    for (let round = 0; round < 4; round++) {
      const { payoutId, act, key, read, timeline } = await makeWaiting();
      const answers = await Promise.all([act('approve'), act('cancel', key), act('approve'), act('process', key)]);
      const { status, approvedAt, failureCode } = await read(payoutId);
      const types = (await timeline(payoutId)).map(({ type }) => type);
      expect(types.filter((type) => type === 'approved').length).toBe(approvedAt ? 1 : 0);
      if (failureCode === 'cancelled') expect(types).not.toContain('attempt_reserved');
      if (status === 'processing') expect(approvedAt).not.toBeNull();
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      for (const { status } of answers) expect([200, 409]).toContain(status);
    }
  });

  it('409 ALREADY_DECIDED: it is approved once', async () => {
    const { act } = await makeWaiting();
    const { data } = await act('approve');
    const again = await act('approve');
    expect(again.error.details).toEqual({ reason: 'ALREADY_DECIDED', status: 'pending', approvedAt: data.approvedAt });
  });

  it('the threshold at creation counts', async () => {
    const { payoutId, act, read } = await makeWaiting();
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await em.execute(
      'update merchant set payout_approval_threshold = null where id = (select merchant_id from payout where id = ?)',
      [payoutId],
    );
    expect((await act('process')).error.details).toMatchObject({ reason: 'APPROVAL_REQUIRED' });
    expect((await read(payoutId)).status).toBe('pending');
  });
});

describe('MO1: many small payouts', () => {
  const isWaiting = ({ data }: { data: { approvalRequiredAt: string | null } }) => data.approvalRequiredAt !== null;

  it('count together when they are of one line and within 24 hours, unless they were approved or have failed', async () => {
    const { affiliates, pay, act, key, otherKey, merchantId } = await makeApprovals(api, { members: 6 });
    const [a, b, c, d, e, f] = affiliates;
    const { value: child } = (await api.call('POST', '/auth/keys', { key, body: { name: 'made', preset: 'merchant:full' } }))
      .data;
    const first = await pay(a);
    expect([isWaiting(first), isWaiting(await pay(b, child))]).toEqual([false, false]);
    expect(isWaiting(await pay(c, otherKey))).toBe(false);
    const third = await pay(d, child);
    expect(isWaiting(third)).toBe(true);
    expect((await act(third.data.id, 'approve')).status).toBe(200);
    expect((await act(first.data.id, 'cancel')).status).toBe(200);
    expect(isWaiting(await pay(e))).toBe(false);
    expect(isWaiting(await pay(f))).toBe(true);
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await em.execute("update payout set created_at = created_at - interval '24 hours' where merchant_id = ?", [merchantId]);
    expect(isWaiting(await pay(a))).toBe(false);
  });

  it('small payouts of one actor at once see each other', async () => {
    const { affiliates, pay } = await makeApprovals(api, { members: 5 });
    const answers = await Promise.all(affiliates.map((affiliateId) => pay(affiliateId)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(answers.filter(isWaiting)).toHaveLength(3);
  });

  it.each([
    [{ usd: 2_000 }, true],
    [{ usd: 2_001 }, false],
    [{ jpy: 20 }, true],
    [{ jpy: 21 }, false],
    [{ kwd: 20_000, eur: 5_000 }, true],
    [{ jpy: 1, usd: 2_001 }, false],
  ])('a payout of 20.00 usd with a threshold of %j waits: %j', async (payoutApprovalThreshold, expected) => {
    const { pay, key } = await makeApprovals(api);
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    const { data } = await api.call('GET', '/merchant', { key });
    await em.execute('update merchant set payout_approval_threshold = ? where id = ?', [
      JSON.stringify(payoutApprovalThreshold),
      data.id,
    ]);
    expect(isWaiting(await pay())).toBe(expected);
  });
});

it('409 APPROVAL_NOT_REQUIRED: below the threshold', async () => {
  const { pay, act } = await makeApprovals(api);
  const { data } = await pay();
  expect(data).toMatchObject({ approvalRequiredAt: null });
  expect((await act(data.id, 'approve')).error.details).toEqual({ reason: 'APPROVAL_NOT_REQUIRED', status: 'pending' });
});

it('404 and 403: a missing payout, and one of another merchant', async () => {
  const { payoutId } = await makePayout(api);
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('POST', `/payouts/${MISSING_ID}/approve`, { key })).status).toBe(404);
  expect((await api.call('POST', `/payouts/${payoutId}/approve`, { key })).status).toBe(403);
});
