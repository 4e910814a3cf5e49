import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makePayable, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi({}, { asOwner: true });

const choose = (key: string, payoutRails: unknown) => api.call('PATCH', '/merchant', { key, body: { payoutRails } });

const start = async () => {
  const merchant = await makeMerchant(api.runtime);
  const payable = await makePayable(api, { merchant });
  const { affiliateId, programId } = payable;
  const connect = () =>
    storeRailAccount(api.runtime.context({ kind: 'system', name: 'test' }), {
      ...{ merchantId: merchant.merchantId, rail: 'paypal' },
      account: { environment: 'sandbox', clientId: `client-${unique()}`, clientSecret: 's3cret-of-the-test' },
    });
  const hold = (id: string) =>
    rowsOf(
      api,
      `update rail_account set status = 'failing', held_code = 'NO_FUNDS', held_since = now(), probe_at = now() + interval '15 minutes' where id = ?`,
      [id],
    );
  const pay = () => api.call('POST', '/payouts', { key: merchant.key, body: { affiliateId, programId } });
  return { ...merchant, affiliateId, programId, connect, hold, pay };
};

it('pays by the rail that the merchant chose, and shows the choice', async () => {
  const { key, connect, pay } = await start();
  await connect();
  const chosen = await choose(key, { paypal: 'paypal' });
  expect(chosen.data.payoutRails).toEqual({ paypal: 'paypal', bank_transfer: null });
  expect((await api.call('GET', '/merchant', { key })).data.payoutRails.paypal).toBe('paypal');
  expect((await pay()).data).toMatchObject({ rail: 'paypal' });
  expect((await choose(key, { bank_transfer: 'manual' })).data.payoutRails).toEqual({
    ...{ paypal: 'paypal', bank_transfer: 'manual' },
  });
  expect((await choose(key, null)).data.payoutRails).toEqual({ paypal: null, bank_transfer: null });
});

it.each([
  ['a rail that there is not', { paypal: 'nothing' }, 'payoutRails.paypal'],
  ['a name that every object has', { paypal: 'constructor' }, 'payoutRails.paypal'],
  ['a rail that does not pay the method', { paypal: 'sepa' }, 'payoutRails.paypal'],
  ['a method that there is not', { card: 'manual' }, 'payoutRails.card'],
])('refuses the choice of %s', async (_, payoutRails, path) => {
  const { key } = await makeMerchant(api.runtime);
  const { status, error } = await choose(key, payoutRails);
  expect([status, error.details.issues[0].path]).toEqual([422, path]);
});

it('refuses a payout without an account', async () => {
  const { key, pay } = await start();
  await choose(key, { paypal: 'paypal' });
  const { status, error } = await pay();
  expect([status, error.details]).toEqual([409, { reason: 'RAIL_CANNOT_PAY', cause: 'no_account', rail: 'paypal' }]);
});

it('refuses a single payout from a held account, while a draft keeps it, warns, and cannot be confirmed', async () => {
  const { key, connect, hold, pay, programId, affiliateId } = await start();
  const id = await connect();
  await choose(key, { paypal: 'paypal' });
  await hold(id);
  expect((await pay()).error.details).toEqual({ reason: 'RAIL_CANNOT_PAY', cause: 'account_held', rail: 'paypal' });
  const draft = await api.call('POST', '/payout-runs', { key, body: { programId } });
  expect(draft.data).toMatchObject({ items: 1 });
  const run = (await api.call('GET', `/payout-runs/${draft.data.id}`, { key })).data;
  expect(run.situation).toMatchObject({ state: 'draft', reason: 'account_failing', next: 'check_account' });
  const body = { total: run.total, items: 1 };
  const refused = await api.call('POST', `/payout-runs/${run.id}/confirm`, { key, body });
  expect(refused.error.details).toEqual({ reason: 'RAIL_ACCOUNT_FAILING', rails: ['paypal'] });
  await rowsOf(
    api,
    `update rail_account set status = 'ready', held_code = null, held_since = null, probe_at = null where id = ?`,
    [id],
  );
  expect((await api.call('POST', `/payout-runs/${run.id}/confirm`, { key, body })).data.status).toBe('running');
  expect(affiliateId).toEqual(expect.any(String));
});

it('says of a payout that waits that its account is on hold, and what to do', async () => {
  const { key, connect, hold, pay } = await start();
  const id = await connect();
  await choose(key, { paypal: 'paypal' });
  const { data } = await pay();
  await hold(id);
  const { situation } = (await api.call('GET', `/payouts/${data.id}`, { key })).data;
  expect(situation).toMatchObject({ state: 'on_hold', reason: 'account_held', next: 'check_account' });
});
