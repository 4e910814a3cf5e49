import { randomBytes } from 'node:crypto';
import { setStripeSecret } from '../../../src/domains/programs/index.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import type { TestApi } from '../api.ts';
import { makeAffiliate, makeMerchant, makeProgram, type TestMerchant, unique } from '../factories.ts';
import type { StripeEndpoint } from './stripe-events.ts';

const system = { kind: 'system', name: 'test' } as const;

/** A merchant with a program that receives the events of the merchant's own Stripe account, and an affiliate with a coupon. */
export const makeStripeProgram = async (api: TestApi, program: Record<string, unknown> = {}, owner?: TestMerchant) => {
  const merchant = owner ?? (await makeMerchant(api.runtime));
  const { programId } = await makeProgram(api, merchant.key, program);
  const affiliate = await makeAffiliate(api.runtime, programId);
  const endpoint: StripeEndpoint = { programId, secret: `whsec_${unique()}${unique()}` };
  await setStripeSecret(api.runtime.context(system), { programId, secret: endpoint.secret });
  const coupon = `C${unique()}`;
  const { em, ids } = api.runtime.context(system);
  await execute(
    em,
    sql`insert into coupon (id, merchant_id, program_id, affiliate_id, code, created_at) values (${ids.next()}::uuid,
      ${merchant.merchantId}::uuid, ${programId}::uuid, ${affiliate.affiliateId}::uuid, ${coupon}, now() - interval '1 day')`,
  );
  // Sales may have occurred before the test began.
  await execute(em, sql`update affiliate set created_at = now() - interval '1 day' where id = ${affiliate.affiliateId}::uuid`);
  return { ...merchant, merchant, programId, ...affiliate, endpoint, coupon, discounts: [{ coupon, promotion_code: null }] };
};

export interface Books {
  amount: number;
  refunded: number;
  commission: number | null;
  status: string | null;
  affiliateId: string | null;
  reason: string | null;
  isDisputed: boolean;
}

/** What is booked for a sale, in any program; null when it was not recorded. */
export const booksOf = (api: TestApi, externalId: string | null | undefined): Promise<Books | null> =>
  firstRow(
    api.runtime.context(system).em,
    sql<Books>`select s.amount::float8 as amount, s.refunded::float8 as refunded, c.commission::float8 as commission, c.status,
        c.affiliate_id as "affiliateId", s.reason, s.disputed_at is not null as "isDisputed"
      from sale s left join conversion c on c.sale_id = s.id where s.provider = 'stripe' and s.external_id = ${externalId ?? ''}`,
  );

/** Why the sales of a merchant are credited to nobody, sorted. */
export const reasonsOf = async (api: TestApi, merchantId: string): Promise<string[]> => {
  const found = await rows(
    api.runtime.context(system).em,
    sql<{
      reason: string;
    }>`select reason from sale where merchant_id = ${merchantId}::uuid and reason is not null order by reason`,
  );
  return found.map(({ reason }) => reason);
};

export const anyAccount = (): string => `acct_${randomBytes(8).toString('hex')}`;

/** As the OAuth connection leaves it. */
export const connectAccount = (api: TestApi, programId: string, accountId: string): Promise<number> =>
  execute(
    api.runtime.context(system).em,
    sql`update program set stripe_account_id = ${accountId}, stripe_connected_at = now(), stripe_livemode = false
      where id = ${programId}::uuid`,
  );
