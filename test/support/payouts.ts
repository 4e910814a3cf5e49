import type { TestApi } from './api.ts';
import { makePayable } from './factories.ts';

export const MISSING_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff';

/** A pending payout of 20.00 on the manual rail, with its merchant, program and affiliate. */
export const makePayout = async (api: TestApi, options: Parameters<typeof makePayable>[1] = {}) => {
  const payable = await makePayable(api, options);
  const { key, affiliateId, programId } = payable;
  const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  if (created.status !== 201) throw new Error(`no payout: ${created.text}`);
  const payoutId: string = created.data.id;
  const act = (verb: string, body?: unknown) => api.call('POST', `/payouts/${payoutId}/${verb}`, { key, body });
  const read = async () => (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  return { ...payable, payoutId, act, read };
};
