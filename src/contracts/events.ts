/** Webhook event types of the specification, section 6. */
export const EVENT_TYPES = [
  'program.created',
  'program.updated',
  'affiliate.joined',
  'affiliate.approved',
  'affiliate.blocked',
  'affiliate.unblocked',
  'conversion.created',
  'conversion.refunded',
  'payout.created',
  'payout.processing',
  'payout.completed',
  'payout.failed',
  'flag.resolved',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The only webhook schema version; frozen into every stored body. */
export const SCHEMA_VERSION = 2;

export const ENVIRONMENTS = ['production', 'preview', 'development'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** What a room announces inside its transaction. `data` is already in wire shape. */
export interface DomainEvent {
  type: EventType;
  merchantId: string;
  programId: string | null;
  data: Readonly<Record<string, unknown>>;
}
