import type { MerchantScope } from './scopes.ts';

/** Webhook event types of the specification, section 6: the only ones in `subscribedEvents`. */
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

export type PublishedEventType = (typeof EVENT_TYPES)[number];

/** Beyond the specification: clients may treat the list above as complete, so an endpoint gets only those that its settings name. */
export const EXTENDED_EVENT_TYPES = [
  'application.submitted',
  'application.decided',
  'customer.identified',
  'sale.unattributed',
  'conversion.held',
  'conversion.approved',
  'conversion.refund_reversed',
  'flag.created',
  'payout.returned',
  'payout.needs_attention',
  'payout_run.completed',
] as const;

export type ExtendedEventType = (typeof EXTENDED_EVENT_TYPES)[number];

export const ALL_EVENT_TYPES = [...EVENT_TYPES, ...EXTENDED_EVENT_TYPES] as const;
export type EventType = (typeof ALL_EVENT_TYPES)[number];

export const isExtended = (type: EventType): type is ExtendedEventType =>
  EXTENDED_EVENT_TYPES.some((extended) => extended === type);

/** In the settings of an endpoint: all extended types, with those to come. */
export const EVERY_EXTENDED = '*';
export type ExtendedSubscription = ExtendedEventType | typeof EVERY_EXTENDED;

/** What events are about: the first part of their type. */
export const EVENT_RESOURCES = [
  'program',
  'affiliate',
  'application',
  'customer',
  'sale',
  'conversion',
  'payout',
  'payout_run',
  'flag',
] as const;
export type EventResource = (typeof EVENT_RESOURCES)[number];

/** With which scope a key reads by other operations what an event shows. */
export const SCOPE_OF_RESOURCE: Readonly<Record<EventResource, MerchantScope>> = {
  program: 'programs:read',
  affiliate: 'affiliates:read',
  application: 'affiliates:read',
  customer: 'conversions:read',
  sale: 'conversions:read',
  conversion: 'conversions:read',
  payout: 'payouts:read',
  payout_run: 'payouts:read',
  flag: 'flags:read',
};

/** What an event of a type is about. */
export const resourceOf = (type: EventType): EventResource => {
  const resource = EVENT_RESOURCES.find((name) => type.startsWith(`${name}.`));
  if (resource === undefined) throw new Error('The name of an event type begins with its resource');
  return resource;
};

/** The only webhook schema version; frozen into every stored body. */
export const SCHEMA_VERSION = 2;

export const ENVIRONMENTS = ['production', 'preview', 'development'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/**
 * Payload by event type. Each domain adds its own by declaration merging, derived from the schema that documents it;
 * a type without a payload does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging, because contracts import no domain.
export interface EventPayloads {}

/** What a domain emits inside its transaction, discriminated by `type`. `data` is already in wire shape. */
export type DomainEvent<T extends EventType = EventType> = {
  [K in T]: {
    type: K;
    merchantId: string;
    /** Null for events of the merchant itself. */
    programId: string | null;
    data: EventPayloads[K];
  };
}[T];
