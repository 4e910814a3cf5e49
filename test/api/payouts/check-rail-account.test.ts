import { makeKey, makeMerchant, unique } from '../../support/factories.ts';
import { payByRail, rowsOf, useRailApi } from '../../support/rail-payouts.ts';
import { FAKE_ACCOUNT } from '../../support/rails/fake-account-rail.ts';
import { ready, refused, scriptChecks, storeAccount, useAccountRail } from '../../support/rails/scripted-account-rail.ts';

const api = useRailApi({ asOwner: true });
const { definition, says } = scriptChecks();
useAccountRail(api, definition);
beforeEach(() => says(() => ready));

const PATH = `/merchant/rail-accounts/${FAKE_ACCOUNT}/check`;

/** A merchant with an account that was put on hold, and a payout that waits for it. */
const startHeld = async () => {
  const merchant = await makeMerchant(api.runtime);
  const account = { url: 'http://127.0.0.1:9', clientId: `client-${unique()}`, clientSecret: 's3cret' };
  const id = await storeAccount(api, merchant.merchantId, account);
  const { payoutId } = await payByRail(api, { merchant });
  await rowsOf(api, 'update payout set rail = ? where id = ?', [FAKE_ACCOUNT, payoutId]);
  await rowsOf(
    api,
    `update rail_account set status = 'failing', held_code = 'NO_FUNDS', held_since = now() - interval '1 minute', probe_at = now() where id = ?`,
    [id],
  );
  await rowsOf(api, 'delete from outbox where subject_id = ?', [payoutId]);
  const woken = () => rowsOf(api, 'select topic from outbox where subject_id = ?', [payoutId]);
  return { ...merchant, id, woken, account };
};

it('ends the hold of an account that can pay, and wakes the payouts that wait', async () => {
  const { key, woken, merchantId } = await startHeld();
  const { status, data } = await api.call('POST', PATH, { key });
  expect(status).toBe(200);
  expect(data).toMatchObject({ status: 'ready', held: null, findings: [], balances: { usd: 500_00 } });
  expect(await woken()).toEqual([{ topic: 'payout.changed' }]);
  const entries = await rowsOf(api, `select changes from audit_log where owner_id = ? and action = 'rail_account.checked'`, [
    merchantId,
  ]);
  expect(entries[0].changes).toContainEqual({ field: 'status', old: 'failing', new: 'ready', hidden: false });
});

it('keeps the hold of an account that cannot, and wakes nobody', async () => {
  const { key, woken } = await startHeld();
  says(() => refused);
  const { data } = await api.call('POST', PATH, { key });
  expect(data).toMatchObject({
    status: 'failing',
    held: { code: 'NO_FUNDS', word: expect.stringContaining('NO_FUNDS') },
    findings: [{ name: 'credentials' }],
  });
  expect(await woken()).toEqual([]);
});

it('changes nothing when the provider does not answer, and says so', async () => {
  const { key, woken } = await startHeld();
  says(() => null);
  const { data } = await api.call('POST', PATH, { key });
  expect(data).toMatchObject({
    status: 'failing',
    held: { code: 'NO_FUNDS' },
    checkedAt: null,
    unansweredAt: expect.any(String),
  });
  expect(await woken()).toEqual([]);
});

it('does not end a hold that began while the provider was asked', async () => {
  const { key, id, woken } = await startHeld();
  says(async () => {
    await rowsOf(api, `update rail_account set held_since = now() + interval '1 second' where id = ?`, [id]);
    return ready;
  });
  expect((await api.call('POST', PATH, { key })).data).toMatchObject({ status: 'failing', held: { code: 'NO_FUNDS' } });
  expect(await woken()).toEqual([]);
});

it('drops the answer about an account that was changed meanwhile', async () => {
  const { key, merchantId, account } = await startHeld();
  says(async () => {
    await storeAccount(api, merchantId, { ...account, clientSecret: 'another' });
    return refused;
  });
  expect((await api.call('POST', PATH, { key })).data).toMatchObject({ status: 'unchecked', findings: [], checkedAt: null });
});

it('drops an answer that a later check has overtaken', async () => {
  const { key } = await startHeld();
  let isFirst = true;
  says(async () => {
    if (!isFirst) return ready;
    isFirst = false;
    expect((await api.call('POST', PATH, { key })).data.status).toBe('ready');
    return refused;
  });
  expect((await api.call('POST', PATH, { key })).data).toMatchObject({ status: 'ready', findings: [] });
});

it('is 404 without an account, and needs payouts:write', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  expect((await api.call('POST', PATH, { key })).status).toBe(404);
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read', 'merchant:manage'] });
  expect((await api.call('POST', PATH, { key: reader.key })).error.code).toBe('INSUFFICIENT_SCOPE');
});
