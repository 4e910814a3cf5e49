import { changeBilling } from '../../../src/domains/merchants/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { mailsAbout, testContext } from './support.ts';

const api = useTestApi();

/** Mails about the changes that the audit log has of an action, with what they say. */
const toldOf = async (key: string, action: string) => {
  const { data } = await api.call('GET', '/audit-log', { key, query: { action } });
  const mails = await Promise.all(data.map(({ id }: { id: string }) => mailsAbout(api.runtime, id)));
  return mails.flat();
};

it('SE15: the merchant is mailed of a new key, an event secret and another percent, with who and from where', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const [merchant] = await rows(
    testContext(api.runtime).em,
    sql<{ email: string }>`select email from merchant where id = ${merchantId}`,
  );
  const from = '203.0.113.7';
  const created = await api.call('POST', '/auth/keys', { key, from, body: { name: 'shop', scopes: ['programs:read'] } });
  const issued = await api.call('POST', `/programs/${programId}/event-secret`, { key, from });
  const updated = await api.call('PATCH', `/programs/${programId}`, { key, from, body: { commissionPercent: 45 } });
  expect([created.status, issued.status < 300, updated.status]).toEqual([201, true, 200]);
  const told = await Promise.all(
    ['api_key.created', 'program.event_secret_issued', 'program.updated'].map((action) => toldOf(key, action)),
  );
  // That of the first event secret comes from the preparation.
  const mails = told.flat().filter(({ text }) => text.includes(from));
  expect(mails.map(({ subject }) => subject)).toHaveLength(3);
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(3);
  for (const mail of mails) {
    expect(mail).toMatchObject({ kind: 'account_changed', to: merchant?.email, waiting: true });
    expect(mail.text).not.toMatch(/ak_live_|whsec_/);
  }
});

it('SE15: the merchant is mailed of another tier, and of nothing that did not change or was rolled back', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const same = await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionPercent: 20 } });
  const other = await api.call('PATCH', `/programs/${programId}`, { key, body: { description: 'For creators' } });
  expect([same.status, other.status]).toEqual([200, 200]);
  expect(await toldOf(key, 'program.updated')).toEqual([]);
  const change = () => changeBilling(testContext(api.runtime), { merchantId, changes: { billingTier: 'growth' } });
  await expect(
    inTransaction(testContext(api.runtime), async (ctx) => {
      await changeBilling(ctx, { merchantId, changes: { billingTier: 'pro' } });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await toldOf(key, 'merchant.billing_changed')).toEqual([]);
  await change();
  await change();
  expect(await toldOf(key, 'merchant.billing_changed')).toMatchObject([{ kind: 'account_changed', waiting: true }]);
});

describe('SE6: the merchant is mailed when a webhook endpoint receives more than before', () => {
  const makeEndpoint = async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const body = { name: 'CRM', url: 'https://receiver.example/hook', subscribedEvents: ['payout.completed'], programId };
    const { data } = await api.call('POST', '/webhooks', { key, body });
    const change = async (changes: unknown) =>
      expect((await api.call('PATCH', `/webhooks/${data.endpoint.id}`, { key, body: changes })).status).toBe(200);
    const set = async (settings: unknown) =>
      expect((await api.call('PATCH', `/webhooks/${data.endpoint.id}/settings`, { key, body: settings })).status).toBe(200);
    const told = async () => (await toldOf(key, 'webhook_endpoint.updated')).map(({ subject }) => subject);
    return { key, programId, change, set, told };
  };
  const SUBJECT = 'A webhook endpoint receives more events';

  it('of all programs, or events of more types', async () => {
    const { programId, change, set, told } = await makeEndpoint();
    await change({ subscribedEvents: ['payout.completed', 'affiliate.joined'] });
    expect(await told()).toEqual([SUBJECT]);
    await set({ extendedEvents: ['payout.returned'] });
    await set({ extendedEvents: ['*'] });
    expect(await told()).toEqual([SUBJECT, SUBJECT, SUBJECT]);
    await change({ programId: null });
    expect(await told()).toHaveLength(4);
    await change({ programId });
    await change({ subscribedEvents: ['affiliate.joined'] });
    await set({ extendedEvents: [] });
    await change({ name: 'Other' });
    expect(await told()).toHaveLength(4);
  });
});
