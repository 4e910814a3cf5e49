import { AuditLogEntrySchema } from '../platform/audit-log/audit-log.entity.ts';
import { EncryptionKeySchema, InstallationSecretSchema } from '../platform/crypto/encryption-key.entity.ts';
import { SqlFileSchema } from '../platform/database/sql-file.entity.ts';
import { IdempotencyRecordSchema } from '../platform/idempotency/idempotency-record.entity.ts';
import { OutboxSchema } from '../platform/outbox/outbox.entity.ts';
import { AffiliateSchema } from './affiliates/affiliate.entity.ts';
import { AffiliateProfileSchema, DetailsRefusalSchema } from './affiliates/affiliate-profile.entity.ts';
import { AffiliateTotalsSchema, ReferralCodeSchema } from './affiliates/referral-code.entity.ts';
import { ApplicationSchema } from './applications/application.entity.ts';
import { AffiliateSessionSchema, ApiKeySchema } from './auth/api-key.entity.ts';
import { BankBookingSchema, BankFileLineSchema, BankFileSchema, BankStatementSchema } from './bank-files/bank-file.entity.ts';
import { BillingSubscriptionSchema } from './billing/billing-subscription.entity.ts';
import { AdjustmentRequestSchema } from './conversions/adjustment-request.entity.ts';
import { CommissionAdjustmentSchema, ConversionSchema } from './conversions/conversion.entity.ts';
import {
  ConversionChangeSchema,
  ConversionHourSchema,
  ConversionSumSchema,
  HeldBackAffiliateSchema,
} from './conversions/conversion-sum.entity.ts';
import { CustomerIdentitySchema, CustomerSchema } from './conversions/customer.entity.ts';
import { CustomerIdentificationSchema, SaleEvidenceSchema } from './conversions/customer-identification.entity.ts';
import { SaleSchema } from './conversions/sale.entity.ts';
import { SaleCumulativeRefundSchema, SaleDisputeSchema } from './conversions/sale-dispute.entity.ts';
import { SaleRefundReversalSchema, SaleRefundSchema } from './conversions/sale-refund.entity.ts';
import {
  SaleProblemSchema,
  StripeAuthorizationSchema,
  StripeDiscountSchema,
  StripeDisputeSchema,
  StripeHintSchema,
  StripePaymentSchema,
  StripePromotionCodeSchema,
  StripeRefundSchema,
  StripeSingleRefundSchema,
} from './conversions/stripe/stripe.entity.ts';
import { CouponSchema } from './coupons/coupon.entity.ts';
import { FlagConversionSchema, FlagSchema } from './flags/flag.entity.ts';
import { InviteSchema } from './invites/invite.entity.ts';
import { LedgerBalanceSchema, LedgerEntrySchema, LedgerPeriodSchema, LedgerPeriodTotalSchema } from './ledger/ledger.entity.ts';
import { LinkSchema } from './links/link.entity.ts';
import {
  MarketplaceDaySchema,
  MarketplaceListingSchema,
  MarketplaceRefreshSchema,
} from './marketplace/marketplace-listing.entity.ts';
import { MerchantSchema, RowCounterSchema } from './merchants/merchant.entity.ts';
import { PendingChangeSchema } from './merchants/pending-change.entity.ts';
import {
  MailInvitationSchema,
  MailOptOutSchema,
  MailProgressSchema,
  MailSchema,
  MailSuppressionSchema,
} from './notifications/mail.entity.ts';
import {
  PayoutRunConfirmationSchema,
  PayoutRunFileSchema,
  PayoutRunItemSchema,
  PayoutRunSchema,
} from './payout-runs/payout-run.entity.ts';
import { PayeeHoldPayoutSchema, PayeeHoldSchema, PaymentsHoldSchema } from './payouts/holds/payment-hold.entity.ts';
import { PayoutItemSchema, PayoutRemittanceSchema, PayoutSchema } from './payouts/payout.entity.ts';
import { PayoutAttemptSchema } from './payouts/payout-attempt.entity.ts';
import { PayoutContradictionSchema, RailNotificationSchema } from './payouts/payout-contradiction.entity.ts';
import { PayoutCorrectionSchema } from './payouts/payout-correction.entity.ts';
import { PayoutEvidenceSchema } from './payouts/payout-evidence.entity.ts';
import { PayoutStatusCheckSchema, PayoutTimelineSchema } from './payouts/payout-timeline.entity.ts';
import { RailAccountSchema, RailSchema } from './payouts/rails/rail-account.entity.ts';
import { PasskeyChallengeSchema, PasskeySchema } from './people/passkey.entity.ts';
import { PasskeyReplacementSchema } from './people/passkey-replacement.entity.ts';
import { PersonInviteSchema, PersonRoleSchema, PersonSchema } from './people/person.entity.ts';
import { PersonSessionSchema, SignInSchema } from './people/person-session.entity.ts';
import { ProgramSchema } from './programs/program.entity.ts';
import { ProgramEventSecretSchema } from './programs/program-event-secret.entity.ts';
import { ProgramPortalSchema } from './programs/program-portal.entity.ts';
import { StripeConnectRequestSchema, StripeSigningSecretSchema } from './programs/stripe-connection.entity.ts';
import { ReconciliationDifferenceSchema, ReconciliationRunSchema } from './reconciliation/reconciliation.entity.ts';
import { ResourceSchema } from './resources/resource.entity.ts';
import { ResourceMediaSchema, ResourceNotificationSchema, StoredFileSchema } from './resources/stored-file.entity.ts';
import { StripeConnectionSchema } from './stripe-connections/stripe-connection.entity.ts';
import {
  ClickAlertSchema,
  ClickCountSchema,
  ClickHourSchema,
  ClickMinuteSchema,
  ClickSchema,
  ClickTotalSchema,
  ScriptLoadSchema,
} from './tracking/click.entity.ts';
import { WebhookAttemptSchema, WebhookLaneSchema } from './webhooks/webhook-attempt.entity.ts';
import { WebhookDeliverySchema } from './webhooks/webhook-delivery.entity.ts';
import { WebhookEndpointSchema } from './webhooks/webhook-endpoint.entity.ts';
import { EventOrderSchema, WebhookEventSchema, WebhookSubjectSchema } from './webhooks/webhook-event.entity.ts';
import { WebhookReplaySchema } from './webhooks/webhook-replay.entity.ts';
import { WebhookSecretSchema } from './webhooks/webhook-secret.entity.ts';

/** The entity of each table, but for that of the migrations, which is the ORM's. `test/domains/entities.test.ts` compares them with the database. */
export const ENTITIES = {
  api_key: ApiKeySchema,
  audit_log: AuditLogEntrySchema,
  merchant: MerchantSchema,
  person: PersonSchema,
  person_invite: PersonInviteSchema,
  person_role: PersonRoleSchema,
  person_session: PersonSessionSchema,
  passkey: PasskeySchema,
  passkey_challenge: PasskeyChallengeSchema,
  passkey_replacement: PasskeyReplacementSchema,
  sign_in: SignInSchema,
  pending_change: PendingChangeSchema,
  program: ProgramSchema,
  program_event_secret: ProgramEventSecretSchema,
  program_portal: ProgramPortalSchema,
  affiliate: AffiliateSchema,
  affiliate_profile: AffiliateProfileSchema,
  link: LinkSchema,
  coupon: CouponSchema,
  invite: InviteSchema,
  application: ApplicationSchema,
  sale: SaleSchema,
  sale_refund: SaleRefundSchema,
  sale_refund_reversal: SaleRefundReversalSchema,
  conversion: ConversionSchema,
  flag: FlagSchema,
  payout: PayoutSchema,
  payout_attempt: PayoutAttemptSchema,
  rail: RailSchema,
  rail_account: RailAccountSchema,
  marketing_resource: ResourceSchema,
  webhook_endpoint: WebhookEndpointSchema,
  webhook_secret: WebhookSecretSchema,
  webhook_delivery: WebhookDeliverySchema,
  webhook_replay: WebhookReplaySchema,
  referral_code: ReferralCodeSchema,
  details_refusal: DetailsRefusalSchema,
  affiliate_totals: AffiliateTotalsSchema,
  affiliate_session: AffiliateSessionSchema,
  billing_subscription: BillingSubscriptionSchema,
  conversion_hour: ConversionHourSchema,
  conversion_sum: ConversionSumSchema,
  conversion_change: ConversionChangeSchema,
  held_back_affiliate: HeldBackAffiliateSchema,
  commission_adjustment: CommissionAdjustmentSchema,
  adjustment_request: AdjustmentRequestSchema,
  customer: CustomerSchema,
  customer_identity: CustomerIdentitySchema,
  customer_identification: CustomerIdentificationSchema,
  sale_evidence: SaleEvidenceSchema,
  sale_cumulative_refund: SaleCumulativeRefundSchema,
  sale_dispute: SaleDisputeSchema,
  stripe_payment: StripePaymentSchema,
  stripe_refund: StripeRefundSchema,
  stripe_single_refund: StripeSingleRefundSchema,
  stripe_authorization: StripeAuthorizationSchema,
  stripe_discount: StripeDiscountSchema,
  stripe_dispute: StripeDisputeSchema,
  stripe_hint: StripeHintSchema,
  stripe_promotion_code: StripePromotionCodeSchema,
  sale_problem: SaleProblemSchema,
  flag_conversion: FlagConversionSchema,
  ledger_entry: LedgerEntrySchema,
  ledger_balance: LedgerBalanceSchema,
  ledger_period: LedgerPeriodSchema,
  ledger_period_total: LedgerPeriodTotalSchema,
  marketplace_listing: MarketplaceListingSchema,
  marketplace_refresh: MarketplaceRefreshSchema,
  marketplace_day: MarketplaceDaySchema,
  reconciliation_run: ReconciliationRunSchema,
  reconciliation_difference: ReconciliationDifferenceSchema,
  row_counter: RowCounterSchema,
  mail: MailSchema,
  mail_invitation: MailInvitationSchema,
  mail_opt_out: MailOptOutSchema,
  mail_suppression: MailSuppressionSchema,
  mail_progress: MailProgressSchema,
  payout_contradiction: PayoutContradictionSchema,
  rail_notification: RailNotificationSchema,
  payout_correction: PayoutCorrectionSchema,
  payout_timeline: PayoutTimelineSchema,
  payout_status_check: PayoutStatusCheckSchema,
  payments_hold: PaymentsHoldSchema,
  payee_hold: PayeeHoldSchema,
  payee_hold_payout: PayeeHoldPayoutSchema,
  payout_item: PayoutItemSchema,
  payout_evidence: PayoutEvidenceSchema,
  payout_remittance: PayoutRemittanceSchema,
  payout_run: PayoutRunSchema,
  payout_run_item: PayoutRunItemSchema,
  payout_run_confirmation: PayoutRunConfirmationSchema,
  payout_run_file: PayoutRunFileSchema,
  bank_file: BankFileSchema,
  bank_file_line: BankFileLineSchema,
  bank_statement: BankStatementSchema,
  bank_booking: BankBookingSchema,
  stripe_connect_request: StripeConnectRequestSchema,
  stripe_connection: StripeConnectionSchema,
  stripe_signing_secret: StripeSigningSecretSchema,
  stored_file: StoredFileSchema,
  resource_media: ResourceMediaSchema,
  resource_notification: ResourceNotificationSchema,
  click: ClickSchema,
  click_count: ClickCountSchema,
  click_total: ClickTotalSchema,
  click_hour: ClickHourSchema,
  click_minute: ClickMinuteSchema,
  click_alert: ClickAlertSchema,
  script_load: ScriptLoadSchema,
  webhook_attempt: WebhookAttemptSchema,
  webhook_lane: WebhookLaneSchema,
  webhook_event: WebhookEventSchema,
  webhook_subject: WebhookSubjectSchema,
  event_order: EventOrderSchema,
  encryption_key: EncryptionKeySchema,
  installation_secret: InstallationSecretSchema,
  sql_file: SqlFileSchema,
  idempotency_record: IdempotencyRecordSchema,
  outbox: OutboxSchema,
};
