import { ENCRYPTED_COLUMNS } from '../../../src/encrypted-columns.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeKey, makeMerchant, unique } from '../../support/factories.ts';
import { callAs, makePerson } from '../../support/people.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { FAKE_ACCOUNT } from '../../support/rails/fake-account-rail.ts';
import { ready, refused, scriptChecks, useAccountRail } from '../../support/rails/scripted-account-rail.ts';

const api = useOwnApi({ PUBLIC_URL: 'https://pay.example.com' }, { asOwner: true });
const { definition, says } = scriptChecks();
useAccountRail(api, definition);
beforeEach(() => says(() => ready));

const PATH = `/merchant/rail-accounts/${FAKE_ACCOUNT}`;
const account = (more: object = {}) => ({
  url: 'http://127.0.0.1:9',
  clientId: `client-${unique()}`,
  clientSecret: 's3cret-1',
  ...more,
});
const versionsOf = (merchantId: string) =>
  rowsOf(api, 'select * from rail_account where merchant_id = ? order by created_at', [merchantId]);
const auditOf = (merchantId: string) =>
  rowsOf(api, `select action, changes from audit_log where owner_id = ? and action like 'rail_account.%' order by id`, [
    merchantId,
  ]);

describe('PUT', () => {
  it('stores the account with its secrets encrypted, and says what the provider answered', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const body = account({ itemLimit: 500 });
    says((given, { noticeUrl }) => {
      expect(given).toEqual(body);
      expect(noticeUrl).toBe(`https://pay.example.com/api/integrations/rails/${FAKE_ACCOUNT}/${merchantId}`);
      return { ...ready, findings: [{ name: 'webhook', isWarning: true }] };
    });
    const { status, data, text } = await api.call('PUT', PATH, { key, body });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      rail: FAKE_ACCOUNT,
      label: 'Fake',
      isCurrent: true,
      status: 'ready',
      held: null,
      openPayments: 0,
    });
    expect(data.settings).toEqual({ url: body.url, clientId: `…${body.clientId.slice(-4)}`, itemLimit: 500 });
    expect(data.findings).toEqual([
      { name: 'webhook', isWarning: true, word: expect.stringContaining("doesn't notify"), next: expect.any(String) },
    ]);
    expect(data.balances).toEqual({ usd: 500_00 });
    const [stored] = await versionsOf(merchantId);
    expect(JSON.stringify([stored, text])).not.toContain('s3cret-1');
    expect(ENCRYPTED_COLUMNS).toContainEqual({ table: 'rail_account', column: 'secrets', id: 'id', idType: 'uuid' });
  });

  it('stores an account that cannot pay, with what is missing in words', async () => {
    const { key } = await makeMerchant(api.runtime);
    says(() => refused);
    const { status, data } = await api.call('PUT', PATH, { key, body: account() });
    expect([status, data.status]).toEqual([200, 'failing']);
    expect(data.findings).toEqual([
      {
        name: 'credentials',
        isWarning: false,
        word: 'The credentials were refused.',
        next: expect.stringContaining('replace them'),
      },
    ]);
  });

  it('leaves it unchecked when the provider does not answer', async () => {
    const { key } = await makeMerchant(api.runtime);
    says(() => null);
    const { status, data } = await api.call('PUT', PATH, { key, body: account() });
    expect(status).toBe(200);
    expect(data).toMatchObject({ status: 'unchecked', checkedAt: null, unansweredAt: expect.any(String) });
  });

  it('leaves it stored and unchecked when the process ends between the store and the answer', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    says(() => {
      throw new Error('the process ends');
    });
    expect((await api.call('PUT', PATH, { key, body: account() })).status).toBe(500);
    expect(await versionsOf(merchantId)).toMatchObject([{ status: 'unchecked', checked_at: null, is_current: true }]);
    expect((await api.call('GET', '/merchant/rail-accounts', { key })).data.accounts).toMatchObject([{ status: 'unchecked' }]);
  });

  it('changes the version of the same account, and keeps what checks found out', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const body = account();
    says(() => ({ ...ready, learned: { webhookId: 'WH-1', webhookSecret: 'hook-s3cret', url: 'https://elsewhere.example' } }));
    const first = await api.call('PUT', PATH, { key, body });
    expect(first.data.settings).toEqual({ url: body.url, clientId: expect.any(String), webhookId: 'WH-1' });
    const seen: unknown[] = [];
    says((given) => {
      seen.push(given);
      return ready;
    });
    const second = await api.call('PUT', PATH, { key, body: { ...body, clientSecret: 's3cret-2' } });
    expect(second.data.id).toBe(first.data.id);
    expect(seen).toEqual([{ ...body, clientSecret: 's3cret-2', webhookId: 'WH-1', webhookSecret: 'hook-s3cret' }]);
    expect(await versionsOf(merchantId)).toHaveLength(1);
    expect(JSON.stringify(await versionsOf(merchantId))).not.toMatch(/s3cret/);
  });

  it('makes a version of another account', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const first = await api.call('PUT', PATH, { key, body: account() });
    const second = await api.call('PUT', PATH, { key, body: account() });
    expect(second.data.id).not.toBe(first.data.id);
    expect(await versionsOf(merchantId)).toMatchObject([{ is_current: false }, { is_current: true }]);
    expect((await api.call('GET', '/merchant/rail-accounts', { key })).data.accounts).toHaveLength(1);
  });

  it('keeps one current account when two are connected at once, and no answer to the older one decides on the newer', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const body = account();
    says(({ clientSecret }) => (clientSecret === 'right' ? ready : refused));
    const both = await Promise.all([
      ...['right', 'wrong'].map((clientSecret) => api.call('PUT', PATH, { key, body: { ...body, clientSecret } })),
      api.call('PUT', PATH, { key, body: account({ clientSecret: 'right' }) }),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
    const versions = await versionsOf(merchantId);
    expect(versions.filter(({ is_current }) => is_current)).toHaveLength(1);
    expect(versions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
  });

  it('is on the audit log and mailed, without secrets', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const body = account();
    await api.call('PUT', PATH, { key, body });
    await api.call('PUT', PATH, { key, body: { ...body, itemLimit: 7, clientSecret: 's3cret-2' } });
    const entries = await auditOf(merchantId);
    expect(entries.map(({ action }) => action)).toEqual([
      'rail_account.connected',
      'rail_account.checked',
      'rail_account.updated',
      'rail_account.checked',
    ]);
    expect(entries[2].changes).toEqual([
      { field: 'itemLimit', old: null, new: 7, hidden: false },
      { field: 'clientSecret', old: null, new: null, hidden: true },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/s3cret/);
    const mails = await rowsOf(api, 'select kind from mail where merchant_id = ?', [merchantId]);
    expect(mails.length).toBeGreaterThanOrEqual(2);
  });
});

describe('PUT refuses', () => {
  it.each([
    ['a missing field', { clientSecret: undefined }, 'clientSecret'],
    ['a value that is too long', { clientId: 'x'.repeat(51) }, 'clientId'],
    ['what only a check finds out', { webhookSecret: 'mine' }, 'webhookSecret'],
    ['an unknown field', { rubbish: 'x' }, 'rubbish'],
    ['a number as text', { itemLimit: '5' }, 'itemLimit'],
  ])('%s, and stores nothing', async (_, more, path) => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const { status, error, text } = await api.call('PUT', PATH, { key, body: account(more) });
    expect([status, error.code, error.details.issues[0].path]).toEqual([422, 'VALIDATION_ERROR', path]);
    expect(text).not.toContain('s3cret-1');
    expect(await versionsOf(merchantId)).toEqual([]);
  });

  it('bodies that no account has', async () => {
    const { key } = await makeMerchant(api.runtime);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x']));
    for (const body of [many, { clientId: 'x'.repeat(5_001) }, { clientId: ['x'] }, [], 'text'])
      expect((await api.call('PUT', PATH, { key, body: JSON.stringify(body) })).status).toBeGreaterThanOrEqual(400);
  });

  it.each(['manual', 'sandbox', 'nothing', 'constructor'])('the rail %s, which has no accounts of merchants', async (rail) => {
    const { key } = await makeMerchant(api.runtime);
    expect((await api.call('PUT', `/merchant/rail-accounts/${rail}`, { key, body: account() })).status).toBe(404);
  });

  it('keys without merchant:manage, and people who are no owner or used no passkey', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:write', 'payouts:read'] });
    expect((await api.call('PUT', PATH, { key, body: account() })).error.code).toBe('INSUFFICIENT_SCOPE');
    expect((await api.call('DELETE', PATH, { key })).error.code).toBe('INSUFFICIENT_SCOPE');
    expect((await api.call('GET', '/merchant/rail-accounts', { key })).status).toBe(200);
    const finance = await makePerson(api, { merchantId, role: 'finance' });
    const input = { params: { rail: FAKE_ACCOUNT }, body: account() };
    expect((await callAs(api, finance.actor, 'connectRailAccount', input)).error?.code).toBe('INSUFFICIENT_SCOPE');
    const owner = await makePerson(api, { merchantId, role: 'owner' });
    const stale = { ...owner.actor, proof: { passkeyAt: null, codeAt: new Date(), hasPasskey: false } };
    expect((await callAs(api, stale, 'connectRailAccount', input)).error?.details).toMatchObject({ needs: 'passkey' });
    expect((await callAs(api, owner.actor, 'connectRailAccount', input)).status).toBe(200);
  });
});
