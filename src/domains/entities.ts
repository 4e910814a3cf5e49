import { Affiliate } from './affiliates/affiliate.entity.ts';
import { AffiliateProfile } from './affiliates/affiliate-profile.entity.ts';
import { Application } from './applications/application.entity.ts';
import { ApiKey } from './auth/api-key.entity.ts';
import { Conversion } from './conversions/conversion.entity.ts';
import { Sale } from './conversions/sale.entity.ts';
import { SaleRefund } from './conversions/sale-refund.entity.ts';
import { Coupon } from './coupons/coupon.entity.ts';
import { Flag } from './flags/flag.entity.ts';
import { Invite } from './invites/invite.entity.ts';
import { Link } from './links/link.entity.ts';
import { Merchant } from './merchants/merchant.entity.ts';
import { Payout } from './payouts/payout.entity.ts';
import { PayoutAttempt } from './payouts/payout-attempt.entity.ts';
import { Program } from './programs/program.entity.ts';
import { ProgramEventSecret } from './programs/program-event-secret.entity.ts';
import { MarketingResource } from './resources/resource.entity.ts';
import { WEBHOOK_ENTITIES } from './webhooks/index.ts';

/** All entity classes of all domains. Tables that are written only by SQL statements have none. */
export const ENTITIES = [
  ApiKey,
  Merchant,
  Program,
  ProgramEventSecret,
  AffiliateProfile,
  Affiliate,
  Link,
  Coupon,
  Invite,
  Application,
  Sale,
  SaleRefund,
  Conversion,
  Flag,
  Payout,
  PayoutAttempt,
  MarketingResource,
  ...WEBHOOK_ENTITIES,
];
