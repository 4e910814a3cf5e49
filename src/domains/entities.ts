import { EncryptionKeySchema, InstallationSecretSchema } from '../platform/crypto/encryption-key.entity.ts';
import { SqlFileSchema } from '../platform/database/sql-file.entity.ts';
import { IdempotencyRecordSchema } from '../platform/idempotency/idempotency-record.entity.ts';
import { OutboxSchema } from '../platform/outbox/outbox.entity.ts';
import { Affiliate } from './affiliates/affiliate.entity.ts';
import { AffiliateProfile } from './affiliates/affiliate-profile.entity.ts';
import { AffiliateTotalsSchema, ReferralCodeSchema } from './affiliates/referral-code.entity.ts';
import { Application } from './applications/application.entity.ts';
import { AffiliateSessionSchema, ApiKey } from './auth/api-key.entity.ts';
import { BillingSubscriptionSchema } from './billing/billing-subscription.entity.ts';
import { CommissionAdjustmentSchema, Conversion } from './conversions/conversion.entity.ts';
import {
  ConversionChangeSchema,
  ConversionHourSchema,
  ConversionSumSchema,
  HeldBackAffiliateSchema,
} from './conversions/conversion-sum.entity.ts';
import { CustomerIdentificationSchema, SaleEvidenceSchema } from './conversions/customer-identification.entity.ts';
import { Sale } from './conversions/sale.entity.ts';
import { SaleCumulativeRefundSchema, SaleDisputeSchema } from './conversions/sale-dispute.entity.ts';
import { SaleRefund } from './conversions/sale-refund.entity.ts';
import {
  StripeDisputeSchema,
  StripePaymentSchema,
  StripeProblemSchema,
  StripePromotionCodeSchema,
} from './conversions/stripe/stripe.entity.ts';
import { Coupon } from './coupons/coupon.entity.ts';
import { Flag, FlagConversionSchema } from './flags/flag.entity.ts';
import { Invite } from './invites/invite.entity.ts';
import { LedgerBalanceSchema, LedgerEntrySchema } from './ledger/ledger.entity.ts';
import { Link } from './links/link.entity.ts';
import {
  MarketplaceDaySchema,
  MarketplaceListingSchema,
  MarketplaceRefreshSchema,
} from './marketplace/marketplace-listing.entity.ts';
import { Merchant, RowCounterSchema } from './merchants/merchant.entity.ts';
import { MailProgressSchema, MailSchema } from './notifications/mail.entity.ts';
import { Payout, PayoutItemSchema } from './payouts/payout.entity.ts';
import { PayoutAttempt } from './payouts/payout-attempt.entity.ts';
import { PayoutContradictionSchema, RailNotificationSchema } from './payouts/payout-contradiction.entity.ts';
import { PayoutStatusCheckSchema, PayoutTimelineSchema } from './payouts/payout-timeline.entity.ts';
import { Program } from './programs/program.entity.ts';
import { ProgramEventSecret } from './programs/program-event-secret.entity.ts';
import { StripeConnectRequestSchema, StripeSigningSecretSchema } from './programs/stripe-connection.entity.ts';
import { MarketingResource } from './resources/resource.entity.ts';
import { ResourceMediaSchema, ResourceNotificationSchema, StoredFile } from './resources/stored-file.entity.ts';
import {
  ClickAlertSchema,
  ClickCountSchema,
  ClickHourSchema,
  ClickMinuteSchema,
  ClickSchema,
  ClickTotalSchema,
  ScriptSightingSchema,
} from './tracking/click.entity.ts';
import { WEBHOOK_ENTITIES } from './webhooks/index.ts';

/** An entity for each table, but for that of the migrations, which is the ORM's. `test/domains/entities.test.ts` compares them with the database. */
export const ENTITIES = [
  SqlFileSchema,
  OutboxSchema,
  IdempotencyRecordSchema,
  EncryptionKeySchema,
  InstallationSecretSchema,
  ApiKey,
  AffiliateSessionSchema,
  Merchant,
  RowCounterSchema,
  Program,
  ProgramEventSecret,
  StripeConnectRequestSchema,
  StripeSigningSecretSchema,
  Affiliate,
  AffiliateProfile,
  ReferralCodeSchema,
  AffiliateTotalsSchema,
  LedgerEntrySchema,
  LedgerBalanceSchema,
  Link,
  Coupon,
  Invite,
  Application,
  ClickSchema,
  ClickCountSchema,
  ClickTotalSchema,
  ClickHourSchema,
  ClickMinuteSchema,
  ClickAlertSchema,
  ScriptSightingSchema,
  Conversion,
  CommissionAdjustmentSchema,
  Sale,
  SaleRefund,
  CustomerIdentificationSchema,
  SaleEvidenceSchema,
  SaleCumulativeRefundSchema,
  SaleDisputeSchema,
  StripePaymentSchema,
  StripeDisputeSchema,
  StripePromotionCodeSchema,
  StripeProblemSchema,
  ConversionHourSchema,
  ConversionSumSchema,
  ConversionChangeSchema,
  HeldBackAffiliateSchema,
  Flag,
  FlagConversionSchema,
  Payout,
  PayoutItemSchema,
  PayoutAttempt,
  PayoutContradictionSchema,
  RailNotificationSchema,
  PayoutTimelineSchema,
  PayoutStatusCheckSchema,
  BillingSubscriptionSchema,
  MarketingResource,
  StoredFile,
  ResourceMediaSchema,
  ResourceNotificationSchema,
  MarketplaceListingSchema,
  MarketplaceRefreshSchema,
  MarketplaceDaySchema,
  MailSchema,
  MailProgressSchema,
  ...WEBHOOK_ENTITIES,
];
