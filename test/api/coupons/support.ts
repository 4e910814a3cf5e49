import type { TestApi, TestResponse } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

export const makeProgramWithAffiliate = async (api: TestApi) => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  return { key, ...program, ...(await makeAffiliate(api.runtime, program.programId)) };
};

export const createCoupon = (
  api: TestApi,
  key: string,
  programId: string,
  body: Record<string, unknown>,
): Promise<TestResponse> => api.call('POST', `/programs/${programId}/coupons`, { key, body });

export const listCoupons = (api: TestApi, key: string, programId: string): Promise<TestResponse> =>
  api.call('GET', `/programs/${programId}/coupons`, { key });
