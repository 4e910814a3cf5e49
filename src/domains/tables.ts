import type { EncryptionKeySchema, InstallationSecretSchema } from '../platform/crypto/encryption-key.entity.ts';
import { queryBuilder } from '../platform/database/query-builder.ts';
import type { SqlFileSchema } from '../platform/database/sql-file.entity.ts';
import type { Table } from '../platform/database/table.ts';
import type { IdempotencyRecordSchema } from '../platform/idempotency/idempotency-record.entity.ts';
import type { OutboxSchema } from '../platform/outbox/outbox.entity.ts';
import type { AffiliateSchema } from './affiliates/affiliate.entity.ts';
import type { AffiliateProfileSchema } from './affiliates/affiliate-profile.entity.ts';
import type { AffiliateTotalsSchema, ReferralCodeSchema } from './affiliates/referral-code.entity.ts';
import type { ApplicationSchema } from './applications/application.entity.ts';
import type { AffiliateSessionSchema, ApiKeySchema } from './auth/api-key.entity.ts';
import type { BillingSubscriptionSchema } from './billing/billing-subscription.entity.ts';
import type { CommissionAdjustmentSchema, ConversionSchema } from './conversions/conversion.entity.ts';
import type {
  ConversionChangeSchema,
  ConversionHourSchema,
  ConversionSumSchema,
  HeldBackAffiliateSchema,
} from './conversions/conversion-sum.entity.ts';
import type { CustomerIdentificationSchema, SaleEvidenceSchema } from './conversions/customer-identification.entity.ts';
import type { SaleSchema } from './conversions/sale.entity.ts';
import type { SaleCumulativeRefundSchema, SaleDisputeSchema } from './conversions/sale-dispute.entity.ts';
import type { SaleRefundSchema } from './conversions/sale-refund.entity.ts';
import type {
  StripeDisputeSchema,
  StripePaymentSchema,
  StripeProblemSchema,
  StripePromotionCodeSchema,
} from './conversions/stripe/stripe.entity.ts';
import type { CouponSchema } from './coupons/coupon.entity.ts';
import type { FlagConversionSchema, FlagSchema } from './flags/flag.entity.ts';
import type { InviteSchema } from './invites/invite.entity.ts';
import type { LedgerBalanceSchema, LedgerEntrySchema } from './ledger/ledger.entity.ts';
import type { LinkSchema } from './links/link.entity.ts';
import type {
  MarketplaceDaySchema,
  MarketplaceListingSchema,
  MarketplaceRefreshSchema,
} from './marketplace/marketplace-listing.entity.ts';
import type { MerchantSchema, RowCounterSchema } from './merchants/merchant.entity.ts';
import type { MailProgressSchema, MailSchema } from './notifications/mail.entity.ts';
import type { PayoutItemSchema, PayoutSchema } from './payouts/payout.entity.ts';
import type { PayoutAttemptSchema } from './payouts/payout-attempt.entity.ts';
import type { PayoutContradictionSchema, RailNotificationSchema } from './payouts/payout-contradiction.entity.ts';
import type { PayoutStatusCheckSchema, PayoutTimelineSchema } from './payouts/payout-timeline.entity.ts';
import type { ProgramSchema } from './programs/program.entity.ts';
import type { ProgramEventSecretSchema } from './programs/program-event-secret.entity.ts';
import type { StripeConnectRequestSchema, StripeSigningSecretSchema } from './programs/stripe-connection.entity.ts';
import type { ResourceSchema } from './resources/resource.entity.ts';
import type { ResourceMediaSchema, ResourceNotificationSchema, StoredFileSchema } from './resources/stored-file.entity.ts';
import type {
  ClickAlertSchema,
  ClickCountSchema,
  ClickHourSchema,
  ClickMinuteSchema,
  ClickSchema,
  ClickTotalSchema,
  ScriptSightingSchema,
} from './tracking/click.entity.ts';
import type { WebhookAttemptSchema, WebhookLaneSchema } from './webhooks/webhook-attempt.entity.ts';
import type { WebhookDeliverySchema } from './webhooks/webhook-delivery.entity.ts';
import type { WebhookEndpointSchema } from './webhooks/webhook-endpoint.entity.ts';
import type { EventOrderSchema, WebhookEventSchema, WebhookSubjectSchema } from './webhooks/webhook-event.entity.ts';
import type { WebhookReplaySchema } from './webhooks/webhook-replay.entity.ts';
import type { WebhookSecretSchema } from './webhooks/webhook-secret.entity.ts';

/** All tables by their names, with the properties of their entities as columns. */
export interface Tables {
  api_key: Table<typeof ApiKeySchema>;
  merchant: Table<typeof MerchantSchema>;
  program: Table<typeof ProgramSchema>;
  program_event_secret: Table<typeof ProgramEventSecretSchema>;
  affiliate: Table<typeof AffiliateSchema>;
  affiliate_profile: Table<typeof AffiliateProfileSchema>;
  link: Table<typeof LinkSchema>;
  coupon: Table<typeof CouponSchema>;
  invite: Table<typeof InviteSchema>;
  application: Table<typeof ApplicationSchema>;
  sale: Table<typeof SaleSchema>;
  sale_refund: Table<typeof SaleRefundSchema>;
  conversion: Table<typeof ConversionSchema>;
  flag: Table<typeof FlagSchema>;
  payout: Table<typeof PayoutSchema>;
  payout_attempt: Table<typeof PayoutAttemptSchema>;
  marketing_resource: Table<typeof ResourceSchema>;
  webhook_endpoint: Table<typeof WebhookEndpointSchema>;
  webhook_secret: Table<typeof WebhookSecretSchema>;
  webhook_delivery: Table<typeof WebhookDeliverySchema>;
  webhook_replay: Table<typeof WebhookReplaySchema>;
  referral_code: Table<typeof ReferralCodeSchema>;
  affiliate_totals: Table<typeof AffiliateTotalsSchema>;
  affiliate_session: Table<typeof AffiliateSessionSchema>;
  billing_subscription: Table<typeof BillingSubscriptionSchema>;
  conversion_hour: Table<typeof ConversionHourSchema>;
  conversion_sum: Table<typeof ConversionSumSchema>;
  conversion_change: Table<typeof ConversionChangeSchema>;
  held_back_affiliate: Table<typeof HeldBackAffiliateSchema>;
  commission_adjustment: Table<typeof CommissionAdjustmentSchema>;
  customer_identification: Table<typeof CustomerIdentificationSchema>;
  sale_evidence: Table<typeof SaleEvidenceSchema>;
  sale_cumulative_refund: Table<typeof SaleCumulativeRefundSchema>;
  sale_dispute: Table<typeof SaleDisputeSchema>;
  stripe_payment: Table<typeof StripePaymentSchema>;
  stripe_dispute: Table<typeof StripeDisputeSchema>;
  stripe_promotion_code: Table<typeof StripePromotionCodeSchema>;
  stripe_problem: Table<typeof StripeProblemSchema>;
  flag_conversion: Table<typeof FlagConversionSchema>;
  ledger_entry: Table<typeof LedgerEntrySchema>;
  ledger_balance: Table<typeof LedgerBalanceSchema>;
  marketplace_listing: Table<typeof MarketplaceListingSchema>;
  marketplace_refresh: Table<typeof MarketplaceRefreshSchema>;
  marketplace_day: Table<typeof MarketplaceDaySchema>;
  row_counter: Table<typeof RowCounterSchema>;
  mail: Table<typeof MailSchema>;
  mail_progress: Table<typeof MailProgressSchema>;
  payout_contradiction: Table<typeof PayoutContradictionSchema>;
  rail_notification: Table<typeof RailNotificationSchema>;
  payout_timeline: Table<typeof PayoutTimelineSchema>;
  payout_status_check: Table<typeof PayoutStatusCheckSchema>;
  payout_item: Table<typeof PayoutItemSchema>;
  stripe_connect_request: Table<typeof StripeConnectRequestSchema>;
  stripe_signing_secret: Table<typeof StripeSigningSecretSchema>;
  stored_file: Table<typeof StoredFileSchema>;
  resource_media: Table<typeof ResourceMediaSchema>;
  resource_notification: Table<typeof ResourceNotificationSchema>;
  click: Table<typeof ClickSchema>;
  click_count: Table<typeof ClickCountSchema>;
  click_total: Table<typeof ClickTotalSchema>;
  click_hour: Table<typeof ClickHourSchema>;
  click_minute: Table<typeof ClickMinuteSchema>;
  click_alert: Table<typeof ClickAlertSchema>;
  script_sighting: Table<typeof ScriptSightingSchema>;
  webhook_attempt: Table<typeof WebhookAttemptSchema>;
  webhook_lane: Table<typeof WebhookLaneSchema>;
  webhook_event: Table<typeof WebhookEventSchema>;
  webhook_subject: Table<typeof WebhookSubjectSchema>;
  event_order: Table<typeof EventOrderSchema>;
  encryption_key: Table<typeof EncryptionKeySchema>;
  installation_secret: Table<typeof InstallationSecretSchema>;
  sql_file: Table<typeof SqlFileSchema>;
  idempotency_record: Table<typeof IdempotencyRecordSchema>;
  outbox: Table<typeof OutboxSchema>;
}

/** Builds statements on the tables of all domains; `rows`, `firstRow` and `execute` run them. */
export const db = queryBuilder<Tables>();
