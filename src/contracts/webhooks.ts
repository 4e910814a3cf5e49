export const ENDPOINT_STATUSES = ['active', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** `failing`: no attempt succeeded for days. */
export const DISABLED_REASONS = ['merchant', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

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

/** An endpoint belongs to one of these slots, and slots are shared out among the lanes: as many lanes can there be. */
export const LANE_SLOTS = 64;

/** The order in which a lane starts the attempts of one endpoint: lower numbers first. */
export const DELIVERY_PRIORITIES = { test: 1, payout: 2, other: 3, resumed: 4, replayed: 5 } as const;

/**
 * How a run of a delivery is named, followed by a number: by the nth resend, the nth replay, the nth restart by the reconciler, or the
 * nth time that the endpoint was enabled. The first run has no name.
 */
export const RUN_SUFFIXES = { resend: '/m', replay: '/p', restart: '/r', enable: '/e' } as const;

export const runSuffix = (run: keyof typeof RUN_SUFFIXES, n: number): string => `${RUN_SUFFIXES[run]}${n}`;

/** Identifies one run of a delivery. Runs of the same delivery send the same bytes under the same webhook-id. */
export interface DeliveryInput {
  deliveryId: string;
  /** See `RUN_SUFFIXES`. */
  suffix: string;
}

/** A run that sends once, by request, and not on the schedule. */
export const isResend = ({ suffix }: Pick<DeliveryInput, 'suffix'>): boolean => suffix.startsWith(RUN_SUFFIXES.resend);

/** How a run ends the delivery; `closed` if nothing is left for it to do. A resend that is `failed` or `not_sent` leaves it unchanged. */
export type DeliveryEnd = 'succeeded' | 'exhausted' | 'parked' | 'cancelled' | 'closed' | 'failed' | 'not_sent';

/** One attempt, as the workflow shows it. */
export interface DeliveryAttempt {
  at: string;
  /** Null without a response. */
  httpStatus: number | null;
  /** Null for a success, and while its outcome is not known. */
  error: DeliveryError | null;
  /** Null when it was never finished. */
  ms: number | null;
}

export interface DeliveryResult {
  end: DeliveryEnd;
  attempts: number;
  /** The newest ones, oldest first. */
  log?: DeliveryAttempt[];
}

/** Type of the failure that ends the workflow of a delivery that the receiver never accepted. */
export const DELIVERY_EXHAUSTED = 'DeliveryExhausted';

export interface WebhookActivities {
  attemptDelivery(input: DeliveryInput): Promise<DeliveryResult>;
}

export interface LaneInput {
  /** Counts from 0. */
  lane: number;
}

/** Reports what one activity did. */
export interface LaneReport {
  succeeded: number;
  failed: number;
  /** The setting asks for fewer lanes: this one ends. */
  isSurplus?: boolean;
}

export interface LaneActivities {
  /**
   * Sends the first attempts of the lane's deliveries for about a minute. With `isIdle`, waits for the first one of them for up to ten
   * minutes before that.
   */
  drainLane(input: LaneInput & { isIdle?: boolean }): Promise<LaneReport>;
}

/** What a replay sends: events without a delivery to the endpoint (`missing`), and deliveries by their status. */
export const REPLAYED_STATUSES = ['missing', 'exhausted', 'succeeded'] as const;
export type ReplayedStatus = (typeof REPLAYED_STATUSES)[number];

export const REPLAY_STATES = ['running', 'completed', 'cancelled'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

export const REPLAY_CANCEL_REASONS = ['requested', 'endpoint_disabled', 'endpoint_deleted'] as const;
export type ReplayCancelReason = (typeof REPLAY_CANCEL_REASONS)[number];

/** Times are ISO 8601. */
export interface ReplayInput {
  replayId: string;
  merchantId: string;
  endpointId: string;
  since: string;
  until: string;
}

export interface ReplayProgress {
  state: ReplayState;
  /** Null unless `cancelled`. */
  cancelReason: ReplayCancelReason | null;
  eventsExamined: number;
  deliveriesQueued: number;
  /** Pause before the next call: above 0 while transactions that were open when the replay was requested have not ended. */
  waitMs: number;
}

export interface ReplayActivities {
  /** Queues the next deliveries of a replay, for about 5 seconds. */
  continueReplay(input: { replayId: string }): Promise<ReplayProgress>;
}
