import { rows, sql } from '../../../src/platform/database/sql.ts';
import type { TestApi } from '../api.ts';
import { makeClick, makeCoupon, type TestMerchant } from '../factories.ts';
import { type StripeEndpoint, sendStripeEvent, type TestStripeEvent } from './stripe-events.ts';
import { makeStripeProgram } from './stripe-programs.ts';

const system = { kind: 'system', name: 'test' } as const;
const HOLD = { commissionHoldDays: 30 };

const makeOne = async (api: TestApi, owner?: TestMerchant) => {
  const made = await makeStripeProgram(api, HOLD, owner);
  const { clickToken } = await makeClick(api.runtime, made, 120);
  return { ...made, clickToken };
};

export type StripeSide = Awaited<ReturnType<typeof makeOne>>;

export interface Placed {
  programId: string;
  affiliateId: string | null;
  reason: string | null;
  refunded: number;
  commission: number | null;
  status: string | null;
}

/** Two programs of one merchant, each with an endpoint in the same Stripe account, an affiliate, a coupon and a click of two hours ago. */
export const makeTwoPrograms = async (api: TestApi) => {
  const a = await makeOne(api);
  const b = await makeOne(api, a.merchant);
  const { merchantId, key } = a;
  const send = async (endpoint: StripeEndpoint, event: TestStripeEvent) => {
    const response = await sendStripeEvent(api, endpoint, event);
    if (response.status !== 200) throw new Error(response.text);
    return response.data;
  };
  /** Where a payment is booked: one row for each sale, and nothing but the affiliate who is credited now. */
  const placesOf = (externalId: string | null | undefined): Promise<Placed[]> =>
    rows(
      api.runtime.context(system).em,
      sql<Placed>`select s.program_id as "programId", case when s.reason is null then s.affiliate_id end as "affiliateId", s.reason,
          s.refunded::int, case when s.reason is null then c.commission::int end as commission,
          case when s.reason is null then c.status end as status
        from sale s left join conversion c on c.sale_id = s.id
        where s.merchant_id = ${merchantId}::uuid and s.external_id = ${externalId ?? ''}`,
    );
  const openProblems = async () => (await api.call('GET', '/sale-problems', { key, query: { open: 'true' } })).data;
  /** The same coupon of an affiliate in both programs. */
  const shareCoupon = async (): Promise<string> => {
    const { couponCode } = await makeCoupon(api.runtime, a);
    await makeCoupon(api.runtime, b, { code: couponCode });
    return couponCode;
  };
  return { a, b, merchantId, key, send, placesOf, openProblems, shareCoupon };
};
