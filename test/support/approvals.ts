import { applyDueChanges } from '../../src/domains/merchants/index.ts';
import type { TestApi } from './api.ts';
import { makeAffiliate, makeKey, makeMerchant, makePayable, sendSale } from './factories.ts';

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
  const adjust = (adjusted: number, kind: string, by = key) =>
    api.call('POST', `/affiliates/${first.affiliateId}/adjustments`, {
      key: by,
      body: { amount: adjusted, kind, note: 'Agreed by phone' },
    });
  const decide = (adjustmentId: string, verb: string, by = otherKey) =>
    api.call('POST', `/adjustments/${adjustmentId}/${verb}`, { key: by });
  const read = async (payoutId: string) => (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  const timeline = async (payoutId: string) =>
    (await api.call('GET', `/payouts/${payoutId}/timeline`, { key })).data as {
      type: string;
      note: string | null;
      actor: string;
    }[];
  return { ...first, otherKey, otherKeyId, affiliates, pay, act, adjust, decide, read, timeline };
};

/** A pending change of the daily limit, from 50.00 usd to none. */
export const makePendingChange = async (api: TestApi, key: string): Promise<string> => {
  await api.call('PATCH', '/merchant', { key, body: { payoutDailyLimit: { usd: 5_000 } } });
  await api.call('PATCH', '/merchant', { key, body: { payoutDailyLimit: null } });
  const { data } = await api.call('GET', '/merchant/pending-changes', { key, query: { status: 'pending' } });
  return data[0].id;
};

const HOUR = 3_600_000;

type PendingChange = {
  id: string;
  setting: string;
  status: string;
  oldValue: unknown;
  newValue: unknown;
  dueAt: string;
  createdAt: string;
};

/** A merchant with keys of two lines, and limits. */
export const makeProtected = async (api: TestApi) => {
  const { merchantId, key, keyId } = await makeMerchant(api.runtime);
  const other = await makeKey(api.runtime, { ownerId: merchantId });
  const change = (body: Record<string, unknown>, by = key) => api.call('PATCH', '/merchant', { key: by, body });
  const limits = { payoutApprovalThreshold: { usd: 5_000 }, payoutDailyLimit: { usd: 90_000 }, detailsCooldownHours: 48 };
  const set = await change(limits);
  if (set.status !== 200) throw new Error(`no limits: ${set.text}`);
  const settings = async () => {
    const { data } = await api.call('GET', '/merchant', { key });
    const { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours } = data;
    return { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours };
  };
  const list = async (query: Record<string, string> = {}): Promise<PendingChange[]> =>
    (await api.call('GET', '/merchant/pending-changes', { key, query })).data;
  const open = () => list({ status: 'pending' });
  const decide = (id: string, verb: string, by = other.key) =>
    api.call('POST', `/merchant/pending-changes/${id}/${verb}`, { key: by });
  const applyIn = (hours: number) =>
    applyDueChanges({
      ...api.runtime.context({ kind: 'system', name: 'approvals' }),
      clock: { now: () => new Date(Date.now() + hours * HOUR) },
    });
  return { merchantId, key, keyId, other, limits, change, settings, list, open, decide, applyIn };
};
