import { affiliateRoutes } from '../domains/affiliates/affiliates.routes.ts';
import { embedRoutes } from '../domains/affiliates/embed.routes.ts';
import { payoutInfoRoutes, restorePayoutInfoRoutes } from '../domains/affiliates/payout-info.routes.ts';
import { addAffiliateRoutes } from '../domains/applications/add-affiliate.routes.ts';
import { applicationRoutes } from '../domains/applications/applications.routes.ts';
import { joinProgramRoutes } from '../domains/applications/join-program.routes.ts';
import { joiningRoutes } from '../domains/applications/joining.routes.ts';
import { auditLogRoutes } from '../domains/audit-log/audit-log.routes.ts';
import { authRoutes } from '../domains/auth/auth.routes.ts';
import { bankFileRoutes } from '../domains/bank-files/bank-files.routes.ts';
import { billingRoutes, billingWebhooks } from '../domains/billing/billing.routes.ts';
import { conversionRoutes, conversionWebhooks } from '../domains/conversions/conversions.routes.ts';
import { customerRoutes } from '../domains/conversions/lists/customers.routes.ts';
import { earningRoutes } from '../domains/conversions/lists/earnings.routes.ts';
import { programStatsRoutes } from '../domains/conversions/lists/program-stats.routes.ts';
import { saleProblemRoutes } from '../domains/conversions/lists/sale-problems.routes.ts';
import { saleRoutes } from '../domains/conversions/lists/sales.routes.ts';
import { adjustmentRoutes } from '../domains/conversions/refund/adjustments.routes.ts';
import { type ObserveStripeEvent, stripeWebhooks } from '../domains/conversions/stripe/stripe.routes.ts';
import { couponRoutes } from '../domains/coupons/coupons.routes.ts';
import { flagRoutes } from '../domains/flags/flags.routes.ts';
import { inviteRoutes } from '../domains/invites/invites.routes.ts';
import { booksRoutes } from '../domains/ledger/books.routes.ts';
import { codeRoutes } from '../domains/links/codes.routes.ts';
import { linkRoutes } from '../domains/links/links.routes.ts';
import { marketplaceRoutes } from '../domains/marketplace/marketplace.routes.ts';
import { meRoutes } from '../domains/me/me.routes.ts';
import { workspaceRoutes } from '../domains/me/workspace.routes.ts';
import { merchantRoutes } from '../domains/merchants/merchants.routes.ts';
import { signUpRoutes } from '../domains/merchants/sign-up.routes.ts';
import { myNotificationRoutes } from '../domains/notifications/my-notifications.routes.ts';
import { onboardingRoutes } from '../domains/onboarding/onboarding.routes.ts';
import { payByHandRoutes } from '../domains/payout-runs/pay-by-hand.routes.ts';
import { payoutRunRoutes } from '../domains/payout-runs/payout-runs.routes.ts';
import { railAccountRoutes } from '../domains/payouts/accounts/rail-accounts.routes.ts';
import { createRails } from '../domains/payouts/index.ts';
import { myPayoutRoutes } from '../domains/payouts/lists/my-payouts.routes.ts';
import { payoutRoutes, payoutWebhooks } from '../domains/payouts/payouts.routes.ts';
import { passkeyReplacementRoutes } from '../domains/people/passkey-replacement.routes.ts';
import { passkeyRoutes } from '../domains/people/passkeys.routes.ts';
import { peopleRoutes } from '../domains/people/people.routes.ts';
import { signInRoutes } from '../domains/people/sign-in.routes.ts';
import { portalDomainRoutes } from '../domains/programs/portal-domain.routes.ts';
import { programMarketplaceRoutes } from '../domains/programs/program-marketplace.routes.ts';
import { programPortalRoutes } from '../domains/programs/program-portal.routes.ts';
import { programRoutes } from '../domains/programs/programs.routes.ts';
import { reconciliationRoutes } from '../domains/reconciliation/reconciliation.routes.ts';
import { mediaRoutes } from '../domains/resources/media.routes.ts';
import { myResourceRoutes } from '../domains/resources/my-resources.routes.ts';
import { publishingRoutes } from '../domains/resources/publishing.routes.ts';
import { resourceRoutes } from '../domains/resources/resources.routes.ts';
import { stripeConnectionRoutes } from '../domains/stripe-connections/stripe-connections.routes.ts';
import { clickRoutes } from '../domains/tracking/clicks.routes.ts';
import { scriptRoutes } from '../domains/tracking/script.routes.ts';
import { trackingRoutes } from '../domains/tracking/tracking.routes.ts';
import { webhookDeliveryRoutes } from '../domains/webhooks/deliveries/webhook-deliveries.routes.ts';
import { webhookReplayRoutes } from '../domains/webhooks/deliveries/webhook-replays.routes.ts';
import { eventRoutes } from '../domains/webhooks/events/events.routes.ts';
import { webhookRoutes } from '../domains/webhooks/webhooks.routes.ts';
import { systemClock } from '../platform/clock.ts';
import type { InboundWebhook } from '../platform/http/inbound-webhook.ts';
import type { Operation } from '../platform/http/operation.ts';
import type { PublicRoute } from '../platform/http/public-route.ts';
import type { Runtime } from '../runtime.ts';
import { metaRoutes } from './meta.routes.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

const TABLE = [
  ...metaRoutes,
  ...meRoutes,
  ...workspaceRoutes,
  ...earningRoutes,
  ...myPayoutRoutes,
  ...payoutInfoRoutes,
  ...stripeConnectionRoutes,
  ...myNotificationRoutes,
  ...authRoutes,
  ...onboardingRoutes,
  ...merchantRoutes,
  ...auditLogRoutes,
  ...programRoutes,
  ...programMarketplaceRoutes,
  ...programPortalRoutes,
  ...portalDomainRoutes,
  ...programStatsRoutes,
  ...affiliateRoutes,
  ...embedRoutes,
  ...addAffiliateRoutes,
  ...adjustmentRoutes,
  ...linkRoutes,
  ...codeRoutes,
  ...couponRoutes,
  ...applicationRoutes,
  ...inviteRoutes,
  ...joiningRoutes,
  ...trackingRoutes,
  ...conversionRoutes,
  ...customerRoutes,
  ...saleRoutes,
  ...saleProblemRoutes,
  ...flagRoutes,
  ...payoutRoutes,
  ...railAccountRoutes,
  ...payoutRunRoutes,
  ...bankFileRoutes,
  ...payByHandRoutes,
  ...booksRoutes,
  ...reconciliationRoutes,
  ...billingRoutes,
  ...resourceRoutes,
  ...mediaRoutes,
  ...publishingRoutes,
  ...myResourceRoutes,
  ...marketplaceRoutes,
  ...webhookRoutes(WEBHOOK_EVENTS),
  ...webhookDeliveryRoutes,
  ...eventRoutes(WEBHOOK_EVENTS),
  ...webhookReplayRoutes,
];

/** The operation table: all operations under /api/v1. */
export const OPERATIONS: readonly Operation[] = TABLE;

const PERSON_TABLE = [
  ...peopleRoutes,
  ...signInRoutes,
  ...signUpRoutes,
  ...passkeyRoutes,
  ...passkeyReplacementRoutes,
  ...joinProgramRoutes,
  ...restorePayoutInfoRoutes,
];

/** Operations of people, for pages only: no API key may manage people or sign in, so they are not mounted under /api/v1. */
export const PERSON_OPERATIONS: readonly Operation[] = PERSON_TABLE;

/** By id, with their types. */
export type OperationTable = { [Op in (typeof TABLE | typeof PERSON_TABLE)[number] as Op['id']]: NonNullable<Op['types']> };

/** Routes outside /api/v1 that browsers call without a key. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [...clickRoutes, ...scriptRoutes];

export const inboundWebhooksOf = (
  runtime: Pick<Runtime, 'rails'> & { observeStripeEvent: ObserveStripeEvent },
): InboundWebhook[] => [
  ...conversionWebhooks,
  ...stripeWebhooks(runtime.observeStripeEvent),
  ...billingWebhooks,
  ...payoutWebhooks(runtime.rails),
];

/** For the documents: without rails, they handle no call. */
export const INBOUND_WEBHOOKS: readonly InboundWebhook[] = inboundWebhooksOf({
  rails: createRails({}, systemClock),
  observeStripeEvent: () => {},
});
