import { queryBuilder } from '../platform/database/query-builder.ts';
import type { Table } from '../platform/database/table.ts';
import type { AffiliateSchema } from './affiliates/affiliate.entity.ts';
import type { AffiliateProfileSchema } from './affiliates/affiliate-profile.entity.ts';
import type { ApplicationSchema } from './applications/application.entity.ts';
import type { ApiKeySchema } from './auth/api-key.entity.ts';
import type { ConversionSchema } from './conversions/conversion.entity.ts';
import type { SaleSchema } from './conversions/sale.entity.ts';
import type { SaleRefundSchema } from './conversions/sale-refund.entity.ts';
import type { CouponSchema } from './coupons/coupon.entity.ts';
import type { FlagSchema } from './flags/flag.entity.ts';
import type { InviteSchema } from './invites/invite.entity.ts';
import type { LinkSchema } from './links/link.entity.ts';
import type { MerchantSchema } from './merchants/merchant.entity.ts';
import type { PayoutSchema } from './payouts/payout.entity.ts';
import type { PayoutAttemptSchema } from './payouts/payout-attempt.entity.ts';
import type { ProgramSchema } from './programs/program.entity.ts';
import type { ProgramEventSecretSchema } from './programs/program-event-secret.entity.ts';
import type { ResourceSchema } from './resources/resource.entity.ts';
import type { WebhookDeliverySchema } from './webhooks/webhook-delivery.entity.ts';
import type { WebhookEndpointSchema } from './webhooks/webhook-endpoint.entity.ts';
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
}

/** Builds statements on the tables of all domains; `rows`, `firstRow` and `execute` run them. */
export const db = queryBuilder<Tables>();
