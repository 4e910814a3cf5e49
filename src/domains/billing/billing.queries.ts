import { PAID_TIERS, type PaidTier, TIER_TERMS } from '../../contracts/billing.ts';
import { BILLING_TIERS } from '../../contracts/programs.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { MERCHANT_BILLING } from '../merchants/index.ts';
import { type BillingAccount, type BillingStatusView, type BillingTierView, toBillingStatus } from './billing.wire.ts';
import { paymentProviderOf } from './billing-settings.ts';

export const getBillingAccount = async (ctx: Context, merchantId: string): Promise<BillingAccount> => {
  const account = await firstRow(
    ctx.em,
    sql<BillingAccount>`select m.id, m.company_name as "companyName", m.email, m.timezone, m.billing_tier as "billingTier",
        m.payment_status as "paymentStatus", m.grace_ends_at as "graceEndsAt", s.stripe_subscription_id as "subscriptionId",
        s.requested_tier as "requestedTier", s.payment_url as "paymentUrl"
      from merchant m left join billing_subscription s on s.merchant_id = m.id where m.id = ${merchantId}::uuid`,
  );
  if (!account) throw notFound('Merchant');
  return account;
};

/** The tier, the revenue of the month, and what is to be paid. */
export const getBillingStatus = async (ctx: Context): Promise<BillingStatusView> => {
  const account = await getBillingAccount(ctx, merchantOf(ctx));
  const revenue = await MERCHANT_BILLING.findMonthlyRevenue(ctx, account);
  const requirement = await MERCHANT_BILLING.findBillingRequirement(ctx, account, revenue);
  return toBillingStatus({ ...account, revenue, requirement, provider: paymentProviderOf(ctx.settings) });
};

/** Cheapest first. */
export const listBillingTiers = async (): Promise<BillingTierView[]> =>
  BILLING_TIERS.map((id) => {
    const { features, ...terms } = TIER_TERMS[id];
    return { id, ...terms, features: [...features], bookable: PAID_TIERS.some((tier) => tier === id) };
  });

/** Which merchant a customer at Stripe is; null for a customer of something else. */
export const findMerchantOfCustomer = async (ctx: Context, customerId: string): Promise<string | null> => {
  const found = await firstRow(
    ctx.em,
    sql<{ merchantId: string }>`select merchant_id as "merchantId" from billing_subscription
      where stripe_customer_id = ${customerId}`,
  );
  return found?.merchantId ?? null;
};

/** An order of a subscription, or of another tier for one. Its id is the key under which Stripe knows it. */
export interface SubscriptionOrder {
  id: string;
  tier: PaidTier;
  /** The subscription and its item to change; null orders a subscription. */
  changes: { id: string; itemId: string } | null;
}

/** Longer than a request can be on its way after its client gave up. What Stripe carried out by then, it shows. */
const ON_ITS_WAY_MS = 5 * MINUTE_MS;

/**
 * The order that may be on its way to Stripe, unanswered. An older one is not repeated: it may never have been sent, and a
 * change of tier charges at once.
 */
export const findOpenOrder = (ctx: Context, merchantId: string): Promise<SubscriptionOrder | null> =>
  firstRow(
    ctx.em,
    sql<SubscriptionOrder>`select order_id as id, order_tier as tier,
      case when order_subscription_id is not null
        then jsonb_build_object('id', order_subscription_id, 'itemId', order_item_id) end as changes
      from billing_subscription
      where merchant_id = ${merchantId}::uuid and order_id is not null
        and ordered_at > ${after(ctx.clock.now(), -ON_ITS_WAY_MS).toISOString()}::timestamptz`,
  );

/** Changes with everything that is applied; null before the first request to subscribe. */
export const findSubscriptionVersion = async (ctx: Context, merchantId: string): Promise<number | null> => {
  const found = await firstRow(
    ctx.em,
    sql<{ version: number }>`select version from billing_subscription where merchant_id = ${merchantId}::uuid`,
  );
  return found?.version ?? null;
};
