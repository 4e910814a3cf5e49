export const ENDPOINT_STATUSES = ['active', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

export const DELIVERY_STATUSES = ['pending', 'parked', 'succeeded', 'exhausted', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_TRIGGERS = ['schedule', 'manual', 'replay', 'test'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** Error codes of failed attempts. */
export const DELIVERY_ERRORS = [
  'dns_not_found',
  'dns_timeout',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_invalid',
  'tls_expired',
  'tls_name',
  'tls_timeout',
  'reset',
  'timeout_headers',
  'timeout_body',
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'gone',
  'bad_response',
  'internal_error',
  'worker_lost',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** Why the last attempt failed. */
export interface DeliveryFailure {
  error: DeliveryError | null;
  /** Null without a response. */
  httpStatus: number | null;
}

/** Lanes share out the first attempts: each endpoint belongs to one lane. */
export const LANES = 8;

/** The order in which a lane starts the attempts of one endpoint: lower numbers first. */
export const DELIVERY_PRIORITIES = { test: 1, payout: 2, other: 3, resumed: 4 } as const;

/** Identifies one run of a delivery. Runs of the same delivery send the same bytes under the same webhook-id. */
export interface DeliveryInput {
  deliveryId: string;
  /** '' for the first run; '/m1' manual, '/p1' replay, '/r1' reconciler, '/e1' after the endpoint was enabled again. */
  suffix: string;
}

export type DeliveryEnd = 'succeeded' | 'exhausted' | 'parked' | 'cancelled' | 'closed';

export interface DeliveryResult {
  end: DeliveryEnd;
  attempts: number;
}

export interface WebhookActivities {
  attemptDelivery(input: DeliveryInput): Promise<DeliveryResult>;
}

export interface LaneInput {
  /** 0 to `LANES` - 1. */
  lane: number;
}

/** Of one activity, which ends after about a minute. */
export interface LaneReport {
  succeeded: number;
  failed: number;
}

export interface LaneActivities {
  /** Sends the first attempts of the lane's deliveries for about a minute. */
  drainLane(input: LaneInput): Promise<LaneReport>;
}
