import type { AuditAction } from '../../../contracts/audit-log.ts';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import type { Context } from '../../../platform/context.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

const AUDITED = [
  'name',
  'programId',
  'subscribedEvents',
  'extendedEvents',
  'status',
  'secretLastFour',
  'maxInFlight',
  'ratePerSecond',
  'rotationOverlapHours',
] as const;

/** What the audit log shows of an endpoint: the path of its URL may hold a secret of the receiver. */
export const auditedOf = (endpoint: WebhookEndpoint) => ({
  ...valuesOf(endpoint, AUDITED),
  origin: new URL(endpoint.url).origin,
});

interface EndpointChange {
  action: Extract<AuditAction, `webhook_endpoint.${string}`>;
  before?: Readonly<Record<string, unknown>>;
  /** Default: as it is now. */
  after?: Readonly<Record<string, unknown>>;
  hidden?: readonly string[];
}

export const recordEndpointChange = (ctx: Context, endpoint: WebhookEndpoint, change: EndpointChange): Promise<void> =>
  recordChange(ctx, { after: auditedOf(endpoint), ...change, ownerId: endpoint.merchantId, resourceId: endpoint.id });
