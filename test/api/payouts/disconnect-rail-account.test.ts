import { makeMerchant, unique } from '../../support/factories.ts';
import { payByRail, rowsOf, useRailApi } from '../../support/rail-payouts.ts';
import { FAKE_ACCOUNT } from '../../support/rails/fake-account-rail.ts';
import { scriptChecks, storeAccount, useAccountRail } from '../../support/rails/scripted-account-rail.ts';

const api = useRailApi({ asOwner: true });
const { definition } = scriptChecks();
useAccountRail(api, definition);

const PATH = `/merchant/rail-accounts/${FAKE_ACCOUNT}`;

const start = async () => {
  const merchant = await makeMerchant(api.runtime);
  const account = { url: 'http://127.0.0.1:9', clientId: `client-${unique()}`, clientSecret: 's3cret', webhookId: 'WH-1' };
  const id = await storeAccount(api, merchant.merchantId, account);
  const stored = async () => (await rowsOf(api, 'select * from rail_account where id = ?', [id]))[0];
  return { ...merchant, merchant, account, id, stored };
};

it('deletes the secrets and what checks found out, keeps the version, and is on the audit log', async () => {
  const { key, id, stored, merchantId, account } = await start();
  const { status, data } = await api.call('DELETE', PATH, { key });
  expect(status).toBe(200);
  expect(data).toMatchObject({ id, isCurrent: false });
  expect(await stored()).toMatchObject({
    secrets: null,
    is_current: false,
    settings: { url: account.url, clientId: account.clientId },
  });
  expect((await api.call('GET', '/merchant/rail-accounts', { key })).data.accounts).toEqual([]);
  expect((await api.call('DELETE', PATH, { key })).status).toBe(404);
  const entries = await rowsOf(api, `select action from audit_log where owner_id = ? and action like 'rail_account.%'`, [
    merchantId,
  ]);
  expect(entries).toEqual([{ action: 'rail_account.disconnected' }]);
});

it('can be connected again, as the same version', async () => {
  const { key, id, account } = await start();
  await api.call('DELETE', PATH, { key });
  const { webhookId: _, ...body } = account;
  const again = await api.call('PUT', PATH, { key, body });
  expect(again.data).toMatchObject({ id, isCurrent: true, status: 'ready' });
});

it('is refused while a payout waits for it, or was sent from it', async () => {
  const { key, id, merchant, stored } = await start();
  const payout = await payByRail(api, { merchant });
  await rowsOf(api, 'update payout set rail = ? where id = ?', [FAKE_ACCOUNT, payout.payoutId]);
  const waiting = await api.call('DELETE', PATH, { key });
  expect(waiting.error.details).toEqual({ reason: 'RAIL_ACCOUNT_IN_USE', openPayments: 0, pendingPayouts: 1 });
  await payout.send();
  expect((await payout.attempt()).rail_account_id).toBe(id);
  const sent = await api.call('DELETE', PATH, { key });
  expect(sent.error.details).toEqual({ reason: 'RAIL_ACCOUNT_IN_USE', openPayments: 1, pendingPayouts: 0 });
  expect((await stored()).secrets).not.toBeNull();
});

it('leaves an older version with open payments listed, and what it paid to a person once it is gone', async () => {
  const { key, id, merchant, account } = await start();
  const payout = await payByRail(api, { merchant });
  await rowsOf(api, 'update payout set rail = ? where id = ?', [FAKE_ACCOUNT, payout.payoutId]);
  await payout.send();
  await api.call('PUT', PATH, { key, body: { url: account.url, clientId: `client-${unique()}`, clientSecret: 'x' } });
  const { accounts } = (await api.call('GET', '/merchant/rail-accounts', { key })).data;
  expect(accounts).toMatchObject([{ isCurrent: true }, { id, isCurrent: false, openPayments: 1 }]);
  await rowsOf(api, 'update rail_account set secrets = null where id = ?', [id]);
  expect(await payout.lookUp()).toMatchObject({ status: 'processing', attemptOutcome: 'unknown' });
});
