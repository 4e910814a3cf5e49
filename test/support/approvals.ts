import type { TestApi } from './api.ts';
import { makeAffiliate, makeKey, makePayable, sendSale } from './factories.ts';

/** A merchant whose payouts from 50.00 usd on are approved, with keys of two lines and affiliates who can each be paid 20.00 usd. */
export const makeApprovals = async (
  api: TestApi,
  {
    members = 1,
    amount = 10_000,
    local,
    threshold = 5_000,
  }: { members?: number; amount?: number; local?: string; threshold?: number } = {},
) => {
  const first = await makePayable(api, { amount, ...(local === undefined ? {} : { local }) });
  const { key, merchantId, program, programId } = first;
  const { key: otherKey, keyId: otherKeyId } = await makeKey(api.runtime, { ownerId: merchantId });
  const payoutApprovalThreshold = { usd: threshold };
  const set = await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold } });
  if (set.status !== 200) throw new Error(`no threshold: ${set.text}`);
  const affiliates = [first.affiliateId];
  while (affiliates.length < members) {
    const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
    await sendSale(api, program, { referralCode: code, amount });
    affiliates.push(affiliateId);
  }
  const pay = (affiliateId = first.affiliateId, by = key) =>
    api.call('POST', '/payouts', { key: by, body: { affiliateId, programId } });
  const act = (payoutId: string, verb: string, by = otherKey) => api.call('POST', `/payouts/${payoutId}/${verb}`, { key: by });
  const read = async (payoutId: string) => (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  const timeline = async (payoutId: string) =>
    (await api.call('GET', `/payouts/${payoutId}/timeline`, { key })).data as {
      type: string;
      note: string | null;
      actor: string;
    }[];
  return { ...first, otherKey, otherKeyId, affiliates, pay, act, read, timeline };
};
