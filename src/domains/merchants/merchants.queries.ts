import { NOTIFICATION_DEFAULTS, type NotificationPreferences } from '../../contracts/notifications.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { type BilledMerchant, findBillingRequirement } from './merchant-billing.queries.ts';
import { type MerchantView, type StoredMerchant, toMerchant } from './merchants.wire.ts';

/** The merchant that owns the API key of the request. */
export const getMerchant = async (ctx: Context): Promise<MerchantView> => {
  const row = await firstRow(
    ctx.em,
    sql<StoredMerchant & BilledMerchant>`
      select id, user_id as "userId", company_name as "companyName", logo_url as "logoUrl", country,
        address_line1 as "addressLine1", address_line2 as "addressLine2", city, state, postal_code as "postalCode",
        vat_id as "vatId", tax_id as "taxId", billing_tier as "billingTier", grace_ends_at as "graceEndsAt",
        payment_status as "paymentStatus", last_payment_failed_at as "lastPaymentFailedAt",
        default_cookie_duration as "defaultCookieDuration",
        default_payout_threshold::float8 as "defaultPayoutThreshold", timezone,
        tracking_requires_consent as "trackingRequiresConsent", tracking_param_aliases as "trackingParamAliases",
        flag_review_days as "flagReviewDays", flag_deadline_action as "flagDeadlineAction",
        details_cooldown_hours as "detailsCooldownHours", notification_preferences as "notificationPreferences",
        onboarding_completed as "onboardingCompleted", onboarding_step as "onboardingStep",
        created_at as "createdAt", updated_at as "updatedAt"
      from merchant where id = ${merchantOf(ctx)}::uuid`,
  );
  if (!row) throw notFound('Merchant');
  return toMerchant(row, await findBillingRequirement(ctx, row));
};

/** The defaults until the merchant changes them. */
export const getNotificationPreferences = async (ctx: Context): Promise<NotificationPreferences> => {
  const row = await firstRow(
    ctx.em,
    sql<{ preferences: NotificationPreferences | null }>`select notification_preferences as preferences from merchant
      where id = ${merchantOf(ctx)}::uuid`,
  );
  if (!row) throw notFound('Merchant');
  return row.preferences ?? { ...NOTIFICATION_DEFAULTS };
};
