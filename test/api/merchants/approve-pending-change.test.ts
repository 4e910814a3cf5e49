import { mailsAbout } from '../../domains/notifications/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeProtected } from '../../support/approvals.ts';
import { makeKey } from '../../support/factories.ts';

const api = useTestApi();

it('takes effect when a second actor approves it, and other fields of the same request at once', async () => {
  const { change, settings, open, list, decide, limits, key, merchantId, other } = await makeProtected(api);
  const changed = await change({ payoutDailyLimit: { usd: 100_000 }, detailsCooldownHours: 72, city: 'Berlin' });
  expect(changed.data).toMatchObject({ ...limits, detailsCooldownHours: 72, city: 'Berlin' });
  const id = (await open())[0]?.id ?? '';
  const own = await decide(id, 'approve', key);
  expect(own).toMatchObject({ status: 409, error: { details: { reason: 'SAME_ACTOR', cause: 'same_line' } } });
  const newer = await makeKey(api.runtime, { ownerId: merchantId });
  expect((await decide(id, 'approve', newer.key)).error.details).toMatchObject({ cause: 'newer_key' });
  expect((await settings()).payoutDailyLimit).toEqual({ usd: 90_000 });
  const approved = await decide(id, 'approve');
  expect(approved).toMatchObject({ status: 200, data: { id, status: 'approved', decidedBy: `key:${other.keyId}` } });
  expect((await settings()).payoutDailyLimit).toEqual({ usd: 100_000 });
  expect((await decide(id, 'cancel')).error.details).toEqual({ reason: 'ALREADY_DECIDED', status: 'approved' });
  expect(await list()).toEqual([approved.data]);
  const audit = await api.call('GET', '/audit-log', { key, query: { resourceType: 'merchant', limit: '3' } });
  expect(audit.data).toMatchObject([
    { action: 'merchant.updated', actor: `key:${other.keyId}` },
    { action: 'merchant.change_approved', actor: `key:${other.keyId}` },
    { action: 'merchant.updated' },
  ]);
});

it('takes effect after 72 hours, with a mail that says how to stop it', async () => {
  const { change, settings, list, open, applyIn, merchantId, decide } = await makeProtected(api);
  await change({ payoutApprovalThreshold: null });
  const id = (await open())[0]?.id ?? '';
  const [mail, ...more] = await mailsAbout(api.runtime, id);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ kind: 'rule_change_requested', subject: expect.stringMatching(/less protected$/) });
  expect(mail?.text).toContain('/console/settings');
  expect(mail?.text).toContain('["Now","50.00 USD"],["From then on","Off"]');
  await applyIn(71.9);
  expect((await settings()).payoutApprovalThreshold).toEqual({ usd: 5_000 });
  await Promise.all([applyIn(72.1), applyIn(72.1)]);
  expect((await settings()).payoutApprovalThreshold).toBeNull();
  expect(await list()).toMatchObject([{ id, status: 'applied', decidedBy: 'system:approvals' }]);
  expect((await decide(id, 'approve')).error.details).toMatchObject({ reason: 'ALREADY_DECIDED', status: 'applied' });
  const told = (await mailsAbout(api.runtime, merchantId)).filter(({ kind }) => kind === 'approval_threshold_changed');
  expect(told.map(({ text }) => /\["Now",".*?"\]/.exec(text)?.[0])).toEqual(['["Now","50.00 USD"]', '["Now","Off"]']);
});

it('of decisions at once one wins', async () => {
  const { change, settings, open, decide, key } = await makeProtected(api);
  for (let round = 1; round <= 4; round++) {
    await change({ payoutDailyLimit: { usd: 90_000 + round } });
    const id = (await open())[0]?.id ?? '';
    const answers = await Promise.all([decide(id, 'approve'), decide(id, 'cancel', key), decide(id, 'approve')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const isApproved = answers.some(({ data }) => data?.status === 'approved');
    const { payoutDailyLimit } = await settings();
    expect(payoutDailyLimit.usd === 90_000 + round).toBe(isApproved);
  }
});
