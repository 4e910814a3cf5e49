import { createAffiliate } from '../../../src/domains/applications/index.ts';
import type { TestApi } from '../../support/api.ts';
import { makeAffiliateKey, makeMerchant, makeProgram, sendSale, type TestProgram, unique } from '../../support/factories.ts';

/** A person without a program, and with a key once they joined one. */
export const makePerson = (api: TestApi) => {
  const email = `a-${unique()}@example.com`;
  /** Makes a merchant with a program that the person joins. */
  const join = async (settings: Record<string, unknown> = {}, more: { paypalEmail?: string } = {}) => {
    const merchant = await makeMerchant(api.runtime);
    const program = await makeProgram(api, merchant.key, settings);
    const affiliate = await joinProgram(program, more);
    return { ...merchant, ...program, program, ...affiliate };
  };
  const joinProgram = (program: TestProgram, payout: { paypalEmail?: string } = {}) =>
    createAffiliate(api.runtime.context({ kind: 'system', name: 'test' }), {
      programId: program.programId,
      email,
      name: 'Ada Test',
      source: 'api',
      payout,
    });
  const call = async (profileId: string) => {
    const key = await makeAffiliateKey(api.runtime, profileId);
    return (path: string, query?: Record<string, string>) => api.call('GET', path, { key, ...(query ? { query } : {}) });
  };
  return { email, join, joinProgram, call };
};

/** Sells for the affiliate; returns the id of the sale. */
export const sell = async (
  api: TestApi,
  { program, code }: { program: TestProgram; code: string },
  facts: { amount?: number; currency?: string } = {},
): Promise<string> => {
  const saleId = `sale-${unique()}`;
  const sale = await sendSale(api, program, { saleId, amount: 10_000, referralCode: code, ...facts });
  if (sale.data?.outcome !== 'recorded') throw new Error(`no sale: ${sale.text}`);
  return saleId;
};
