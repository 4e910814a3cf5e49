import { PAID_TIERS, TIER_TERMS } from '../../contracts/billing.ts';
import { BILLING_TIERS } from '../../contracts/programs.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { findBillingRequirement, findMonthlyRevenue } from '../merchants/index.ts';
import { db } from '../tables.ts';
import { type BillingAccount, type BillingStatusView, type BillingTierView, toBillingStatus } from './billing.wire.ts';
import type { StripeBilling } from './stripe-billing.calls.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Null when nobody collects payments. */
    stripeBilling: StripeBilling | null;
    stripeBillingWebhookSecret: string | null;
    /** Without Stripe: whether merchants choose their tier, which then changes at once. Else only the operator does. */
    billingSelfService: boolean;
  }
}

const accountOf = compileOnce(({ merchantId }: Given<{ merchantId: string }>) =>
  db
    .selectFrom('merchant as m')
    .leftJoin('billing_subscription as s', 's.merchantId', 'm.id')
    .select(['m.id', 'm.companyName', 'm.email', 'm.timezone', 'm.billingTier', 'm.paymentStatus', 'm.graceEndsAt'])
    .select(['s.stripeSubscriptionId as subscriptionId', 's.requestedTier', 's.paymentUrl'])
    .where('m.id', '=', merchantId),
);

export const getBillingAccount = async (ctx: Context, merchantId: string): Promise<BillingAccount> => {
  const account = await firstRow(ctx.em, accountOf({ merchantId }));
  if (!account) throw notFound('Merchant');
  return account;
};

/** The tier, the revenue of the month, and what is to be paid. */
export const getBillingStatus = async (ctx: Context): Promise<BillingStatusView> => {
  const account = await getBillingAccount(ctx, merchantOf(ctx));
  const revenue = await findMonthlyRevenue(ctx, account);
  const requirement = await findBillingRequirement(ctx, account, revenue);
  return toBillingStatus({ ...account, revenue, requirement, provider: ctx.settings.stripeBilling ? 'stripe' : 'none' });
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
    db.selectFrom('billing_subscription').select('merchantId').where('stripeCustomerId', '=', customerId),
  );
  return found?.merchantId ?? null;
};

/** Changes with everything that is applied; null before the first request to subscribe. */
export const findSubscriptionVersion = async (ctx: Context, merchantId: string): Promise<number | null> => {
  const found = await firstRow(
    ctx.em,
    db.selectFrom('billing_subscription').select('version').where('merchantId', '=', merchantId),
  );
  return found?.version ?? null;
};
