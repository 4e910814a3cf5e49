import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import { callAs, makePerson } from '../../support/people.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { FAKE_ACCOUNT } from '../../support/rails/fake-account-rail.ts';
import { ready, refused, scriptChecks, useAccountRail } from '../../support/rails/scripted-account-rail.ts';

const api = useOwnApi({}, { asOwner: true });
const { definition, says } = scriptChecks();
useAccountRail(api, definition);
beforeEach(() => says(() => ready));

const PATH = `/merchant/rail-accounts/${FAKE_ACCOUNT}`;

const connect = async (more: object = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const body = { url: 'http://127.0.0.1:9', clientId: `client-${unique()}`, clientSecret: 's3cret-1', ...more };
  const { data } = await api.call('PUT', PATH, { key: merchant.key, body });
  const change = (changes: unknown) => api.call('PATCH', PATH, { key: merchant.key, body: changes as object });
  return { ...merchant, body, id: data.id as string, change };
};
const versionsOf = (merchantId: string) => rowsOf(api, 'select * from rail_account where merchant_id = ?', [merchantId]);

it('replaces a secret alone: everything else of the account stays, and its provider is asked', async () => {
  says(() => ({ ...ready, learned: { webhookId: 'WH-1', webhookSecret: 'hook-s3cret' } }));
  const { change, body, id, merchantId } = await connect({ itemLimit: 500 });
  const seen: unknown[] = [];
  says((given) => {
    seen.push(given);
    return refused;
  });
  const { status, data, text } = await change({ clientSecret: 's3cret-2' });
  expect([status, data.id, data.status]).toEqual([200, id, 'failing']);
  expect(seen).toEqual([{ ...body, clientSecret: 's3cret-2', webhookId: 'WH-1', webhookSecret: 'hook-s3cret' }]);
  expect(JSON.stringify([text, await versionsOf(merchantId)])).not.toContain('s3cret');
  const audit = `select changes from audit_log where owner_id = ? and action = 'rail_account.updated'`;
  const [entry] = await rowsOf(api, audit, [merchantId]);
  expect(entry.changes).toEqual([{ field: 'clientSecret', old: null, new: null, hidden: true }]);
});

it('clears an optional field by null', async () => {
  const { change } = await connect({ itemLimit: 500 });
  expect((await change({ itemLimit: null })).data.settings).not.toHaveProperty('itemLimit');
});

it('makes a version of another account', async () => {
  const { change, id, merchantId } = await connect();
  const { data } = await change({ clientId: `client-${unique()}` });
  expect(data.id).not.toBe(id);
  expect((await versionsOf(merchantId)).map(({ is_current }) => is_current).sort()).toEqual([false, true]);
});

it('loses no change of two at once', async () => {
  const { change, merchantId } = await connect();
  const both = await Promise.all([change({ clientSecret: 's3cret-2' }), change({ itemLimit: 7 })]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  let seen: unknown;
  says((given) => {
    seen = given;
    return ready;
  });
  await change({ url: 'http://127.0.0.1:8' });
  expect(seen).toMatchObject({ clientSecret: 's3cret-2', itemLimit: 7, url: 'http://127.0.0.1:8' });
  expect(await versionsOf(merchantId)).toHaveLength(1);
});

it.each([
  ['a required field that is cleared', { clientSecret: null }, 'clientSecret'],
  ['a value that is too long', { clientId: 'x'.repeat(51) }, 'clientId'],
  ['what only a check finds out', { webhookSecret: 'mine' }, 'webhookSecret'],
  ['an unknown field', { rubbish: 'x' }, 'rubbish'],
])('refuses %s, and changes nothing', async (_, changes, path) => {
  const { change, merchantId } = await connect();
  const before = await versionsOf(merchantId);
  const { status, error, text } = await change(changes);
  expect([status, error.details.issues[0].path]).toEqual([422, path]);
  expect(text).not.toContain('s3cret');
  expect(await versionsOf(merchantId)).toEqual(before);
});

it('needs an account, an owner and a passkey', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  expect((await api.call('PATCH', PATH, { key, body: { clientSecret: 'x' } })).status).toBe(404);
  const input = { params: { rail: FAKE_ACCOUNT }, body: { clientSecret: 'x' } };
  const finance = await makePerson(api, { merchantId, role: 'finance' });
  expect((await callAs(api, finance.actor, 'updateRailAccount', input)).error?.code).toBe('INSUFFICIENT_SCOPE');
  const owner = await makePerson(api, { merchantId, role: 'owner' });
  const stale = { ...owner.actor, proof: { passkeyAt: null, codeAt: new Date(), hasPasskey: false } };
  expect((await callAs(api, stale, 'updateRailAccount', input)).error?.details).toMatchObject({ needs: 'passkey' });
});
