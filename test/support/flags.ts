import type { FlagType } from '../../src/contracts/flags.ts';
import { raiseFlag } from '../../src/domains/flags/index.ts';
import { after } from '../../src/platform/clock.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import type { TestApi } from './api.ts';
import { makePayable } from './factories.ts';

const system = { kind: 'system', name: 'test' } as const;

type Payable = Awaited<ReturnType<typeof makePayable>>;

export interface FlagOptions {
  type?: FlagType;
  conversionIds?: string[];
  details?: Record<string, unknown>;
  /** Moves the time of the evidence, and with it the deadline. */
  ageMs?: number;
}

/** A finding about an affiliate, as the fraud rules report it. */
export const raise = async (
  api: TestApi,
  { merchantId, programId, affiliateId, conversionId }: Payable,
  { type = 'self_referral', conversionIds = [conversionId], details = {}, ageMs = 0 }: FlagOptions = {},
): Promise<{ flagId: string; opened: boolean }> => {
  const clock = { now: () => after(new Date(), -ageMs) };
  const finding = { merchantId, programId, affiliateId, type, details, conversionIds };
  return raiseFlag({ ...api.runtime.context(system), clock }, finding);
};

/** A payable commission of 20.00 that an open flag holds. */
export const makeFlag = async (api: TestApi, options: FlagOptions & Parameters<typeof makePayable>[1] = {}) => {
  const payable = await makePayable(api, options);
  const { flagId } = await raise(api, payable, options);
  return { ...payable, flagId, ...flagActions(api, payable, flagId) };
};

/** Calls on one flag, and what became of its affiliate. */
export const flagActions = (api: TestApi, { key, affiliateId, programId, conversionId }: Payable, flagId: string) => ({
  resolve: (status: string, more: Record<string, unknown> = {}) =>
    api.call('POST', `/flags/${flagId}/resolve`, { key, body: { status, ...more } }),
  readFlag: async () => {
    const { data } = await api.call('GET', '/flags', { key, query: { affiliateId } });
    return data.find(({ id }: { id: string }) => id === flagId);
  },
  conversion: async () => (await api.call('GET', `/conversions/${conversionId}`, { key })).data,
  pay: () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } }),
  balance: () =>
    firstRow(
      api.runtime.context(system).em,
      sql<{ pending: number; payable: number; inPayout: number; paid: number }>`select pending::float8, payable::float8,
        in_payout::float8 as "inPayout", paid::float8 from ledger_balance where affiliate_id = ${affiliateId}::uuid`,
    ),
});
