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
  'worker_lost',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

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
