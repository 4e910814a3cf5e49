import type { FlagDeadlineAction } from '../../contracts/flags.ts';
import type { BillingTier } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { BilledMerchant } from './merchant-billing.queries.ts';

/** Settings of a merchant that new programs start with, and what decides whether there may be one. */
export interface ProgramDefaults extends BilledMerchant {
  /** Days. */
  cookieDuration: number;
  /** Minor units. */
  payoutThreshold: number;
}

/** `lock` locks the merchant until the transaction ends. NOT_FOUND when the merchant does not exist. */
export const getProgramDefaults = async (
  ctx: Context,
  { merchantId, lock }: { merchantId: string; lock: boolean },
): Promise<ProgramDefaults> => {
  const row = await firstRow(
    ctx.em,
    sql<ProgramDefaults>`
      select id, default_cookie_duration as "cookieDuration", default_payout_threshold::float8 as "payoutThreshold",
        billing_tier as "billingTier", timezone, grace_ends_at as "graceEndsAt"
      from merchant where id = ${merchantId}::uuid ${lock ? sql`for update` : sql``}`,
  );
  if (!row) throw notFound('Merchant');
  return row;
};

/** What a merchant chose for flags that nobody resolves in time. NOT_FOUND when the merchant does not exist. */
export const getFlagSettings = async (ctx: Context, merchantId: string): Promise<{ deadlineAction: FlagDeadlineAction }> => {
  const row = await firstRow(
    ctx.em,
    sql<{ deadlineAction: FlagDeadlineAction }>`select flag_deadline_action as "deadlineAction" from merchant
      where id = ${merchantId}::uuid`,
  );
  if (!row) throw notFound('Merchant');
  return row;
};

/** Throws 404 when there is no such merchant. */
export const assertMerchantExists = async (ctx: Context, merchantId: string): Promise<void> => {
  if (!(await firstRow(ctx.em, sql`select 1 from merchant where id = ${merchantId}::uuid`))) throw notFound('Merchant');
};

/** NOT_FOUND when the merchant does not exist. */
export const getBillingTier = async (ctx: Context, merchantId: string): Promise<BillingTier> => {
  const row = await firstRow(
    ctx.em,
    sql<{ tier: BillingTier }>`select billing_tier as tier from merchant where id = ${merchantId}::uuid`,
  );
  if (!row) throw notFound('Merchant');
  return row.tier;
};
