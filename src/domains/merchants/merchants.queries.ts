import type { FlagDeadlineAction } from '../../contracts/flags.ts';
import { NOTIFICATION_DEFAULTS, type NotificationPreferences } from '../../contracts/notifications.ts';
import type { BillingTier } from '../../contracts/programs.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { db, type Tables } from '../tables.ts';
import { type BilledMerchant, findBillingRequirement } from './merchant-billing.queries.ts';
import { type MerchantView, toMerchant } from './merchants.wire.ts';

const MERCHANT = [
  'id',
  'userId',
  'companyName',
  'logoUrl',
  'country',
  'addressLine1',
  'addressLine2',
  'city',
  'state',
  'postalCode',
  'vatId',
  'taxId',
  'billingTier',
  'graceEndsAt',
  'paymentStatus',
  'lastPaymentFailedAt',
  'defaultCookieDuration',
  'defaultPayoutThreshold',
  'timezone',
  'trackingRequiresConsent',
  'trackingParamAliases',
  'flagReviewDays',
  'flagDeadlineAction',
  'detailsCooldownHours',
  'payoutDailyLimit',
  'payoutApprovalThreshold',
  'payoutRails',
  'paymentPrefix',
  'notificationPreferences',
  'onboardingCompleted',
  'onboardingStep',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Tables['merchant'])[];

const merchantById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('merchant').select(MERCHANT).where('id', '=', id),
);

const existing = <Row>(row: Row | null): Row => {
  if (!row) throw notFound('Merchant');
  return row;
};

/** The merchant that owns the API key of the request. */
export const getMerchant = async (ctx: Context): Promise<MerchantView> => {
  const merchant = existing(await firstRow(ctx.em, merchantById({ id: merchantOf(ctx) })));
  return toMerchant(merchant, await findBillingRequirement(ctx, merchant));
};

/** The defaults until the merchant changes them. */
export const getNotificationPreferences = async (ctx: Context): Promise<NotificationPreferences> => {
  const { notificationPreferences } = existing(
    await firstRow(ctx.em, db.selectFrom('merchant').select('notificationPreferences').where('id', '=', merchantOf(ctx))),
  );
  return notificationPreferences ?? { ...NOTIFICATION_DEFAULTS };
};

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
  const defaults = db
    .selectFrom('merchant')
    .select(['id', 'defaultCookieDuration as cookieDuration', 'defaultPayoutThreshold as payoutThreshold'])
    .select(['billingTier', 'timezone', 'graceEndsAt'])
    .where('id', '=', merchantId);
  return existing(await firstRow(ctx.em, lock ? defaults.forUpdate() : defaults));
};

/** What a merchant chose for flags that nobody resolves in time. NOT_FOUND when the merchant does not exist. */
export const getFlagSettings = async (ctx: Context, merchantId: string): Promise<{ deadlineAction: FlagDeadlineAction }> =>
  existing(
    await firstRow(ctx.em, db.selectFrom('merchant').select('flagDeadlineAction as deadlineAction').where('id', '=', merchantId)),
  );

/** NOT_FOUND when there is no such merchant. */
export const assertMerchantExists = async (ctx: Context, merchantId: string): Promise<void> => {
  existing(await firstRow(ctx.em, db.selectFrom('merchant').select('id').where('id', '=', merchantId)));
};

/** NOT_FOUND when the merchant does not exist. */
export const getBillingTier = async (ctx: Context, merchantId: string): Promise<BillingTier> => {
  const query = db.selectFrom('merchant').select('billingTier').where('id', '=', merchantId);
  return existing(await firstRow(ctx.em, query)).billingTier;
};
