import type { TestApi } from './api.ts';
import { makePayable } from './factories.ts';

export const MISSING_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff';

type PayableOptions = NonNullable<Parameters<typeof makePayable>[1]>;

/** A pending payout of 20.00 on the manual rail, with its merchant, program and affiliate. */
export const makePayout = async (api: TestApi, options: PayableOptions = {}) => {
  const payable = await makePayable(api, options);
  const { key, affiliateId, programId } = payable;
  const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  if (created.status !== 201) throw new Error(`no payout: ${created.text}`);
  const payoutId: string = created.data.id;
  const act = (verb: string, body?: unknown) => api.call('POST', `/payouts/${payoutId}/${verb}`, { key, body });
  const read = async () => (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  return { ...payable, payoutId, act, read };
};

const BANK_DETAILS = {
  method: 'bank_transfer',
  paypalEmail: null,
  bankIban: 'DE89370400440532013000',
  bankBic: null,
  bankAccountHolder: 'Ada Test',
};

/** As `makePayout`, to an affiliate who is paid by bank transfer, which is a manual rail in tests. */
export const makeManualPayout = async (api: TestApi, options: Pick<PayableOptions, 'merchant' | 'amount'> = {}) => {
  const payable = await makePayable(api, { ...options, local: null });
  const { key, affiliateId, programId, profileId } = payable;
  const { em, cipher } = api.runtime.context({ kind: 'system', name: 'test' });
  const place = { table: 'affiliate_profile', column: 'payout_details', row: profileId };
  await em.execute(`update affiliate_profile set payout_method = 'bank_transfer', payout_details = ? where id = ?`, [
    cipher.encrypt(JSON.stringify(BANK_DETAILS), place),
    profileId,
  ]);
  const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  if (created.data?.rail !== 'manual') throw new Error(`no manual payout: ${created.text}`);
  const payoutId: string = created.data.id;
  const act = (verb: string, body?: unknown) => api.call('POST', `/payouts/${payoutId}/${verb}`, { key, body });
  const read = async () => (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  const programName: string = (await api.call('GET', `/programs/${programId}`, { key })).data.name;
  return { ...payable, payoutId, programName, act, read };
};
