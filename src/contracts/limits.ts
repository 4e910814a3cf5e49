import type { BillingTier } from './programs.ts';

/** Requests per key per minute (specification, section 8.1, and the two tiers above it). */
export const REQUESTS_PER_MINUTE: Record<BillingTier, number> = { free: 60, starter: 60, growth: 300, pro: 1000 };
export const ANONYMOUS_PER_MINUTE = 10;
export const DOCS_PER_MINUTE = 120;
/** Requests of one address to each group of public routes. */
export const PUBLIC_PER_MINUTE = 120;
/** Pages of one address under names other than that of this server, which are looked up. */
export const FOREIGN_NAMES_PER_MINUTE = 240;
/** Messages of one address with a wrong signature at one target, such as a program. Beyond it, only signed ones are accepted there. */
export const FAILED_SIGNATURES_PER_MINUTE = 30;
/** Messages of one address with a wrong signature at all targets together. */
export const FAILED_SIGNATURES_OF_ADDRESS_PER_MINUTE = 300;
export const RATE_WINDOW_MS = 60_000;

export const MAX_BODY_BYTES = 1_048_576;
export const MAX_ENDPOINTS_PER_MERCHANT = 50;
/** First attempts that one endpoint gets at a time. */
export const MAX_IN_FLIGHT_PER_ENDPOINT = 32;
/** The highest rate that a merchant can set for first attempts at one endpoint. */
export const MAX_RATE_PER_SECOND = 1_000;
/** How long a replaced signing secret also signs: by default, and at most (a week). */
export const ROTATION_OVERLAP_HOURS = 24;
export const MAX_ROTATION_OVERLAP_HOURS = 168;
/** Headers that a merchant adds to the deliveries of one endpoint. */
export const MAX_REQUEST_HEADERS = 10;
export const MAX_REQUEST_HEADER_CHARS = 2_048;
/** Resends of one delivery. */
export const MAX_RESENDS = 50;
/** Resends of one endpoint that have no outcome yet: each holds a slot of a worker. */
export const MAX_OPEN_RESENDS = 32;
/** Replays of one merchant: each can send the events of 90 days. */
export const MAX_RUNNING_REPLAYS = 5;
export const MAX_REPLAYS_PER_DAY = 100;
/** Attempts that are shown with a delivery: each has up to 16 KiB of a response. */
export const MAX_SHOWN_ATTEMPTS = 100;
export const MAX_LANDING_PAGES = 50;
/** Apps of one program that may show the page of an affiliate. */
export const MAX_EMBED_ORIGINS = 10;
export const MAX_LINKS_PER_AFFILIATE = 100;
/** Links of one affiliate with the deleted ones, whose codes stay reserved. */
export const MAX_LINK_CODES_PER_AFFILIATE = 1_000;
export const MAX_COUPONS_PER_PROGRAM = 5_000;
/** Invites that can still be claimed. */
export const MAX_OPEN_INVITES_PER_PROGRAM = 5_000;
export const MAX_INVITE_USES = 1_000;
export const INVITE_DAYS_DEFAULT = 30;
/** Keys of one owner that are neither revoked nor expired: the limits are per key. People have those of the lowest tier. */
export const KEYS_PER_OWNER: Record<BillingTier, number> = { free: 10, starter: 25, growth: 50, pro: 100 };
/** Keys that an owner may create in 24 hours, in those that they may have at a time. */
export const KEYS_PER_DAY_FACTOR = 5;
/** Counts those that the operator creates, too. */
export const MAX_KEYS_PER_OWNER = 100;
export const PAGE_DEFAULT = 20;
export const PAGE_MAX = 100;
export const MARKETPLACE_PAGE_MAX = 50;
/** Lists without an exact counter count up to this many rows and then set `totalCapped`. */
export const COUNT_MAX = 10_000;
/** Commissions of one payout; what is left stays payable for the next. Bounds the time for which a balance is locked. */
export const MAX_PAYOUT_COMMISSIONS = 10_000;
/** Manual adjustments of one affiliate that are in no payout: the next payout takes them all. */
export const MAX_OPEN_ADJUSTMENTS = 1_000;
/** A week: the most that a merchant can wait after a change of payout details. */
export const MAX_DETAILS_COOLDOWN_HOURS = 168;
/** Programs of one person that a list without pages shows, the newest first. */
export const MAX_OWN_PROGRAMS = 1_000;
export const IDEMPOTENCY_HOURS = 24;
/** Kept this long at least; a function of the database (`kept_for`) decides when they are dropped. */
export const ATTEMPT_DAYS = 30;
/** Like `ATTEMPT_DAYS`, for deliveries and events. */
export const DELIVERY_DAYS = 90;

const MB = 1_048_576;
const GB = 1_024 * MB;
/** Largest file, and largest image of a post. */
export const MAX_FILE_BYTES = 50 * MB;
export const MAX_VIDEO_BYTES = 200 * MB;
export const MAX_POST_BYTES = 500 * MB;
export const MAX_ATTACHMENTS = 10;
export const MAX_COLLECTION_ITEMS = 100;
export const MAX_RESOURCES_PER_PROGRAM = 1_000;
/** Upload sessions of one merchant that are neither completed nor expired. */
export const MAX_OPEN_UPLOADS = 50;
/** All files of a merchant. */
export const STORAGE_BYTES: Record<BillingTier, number> = { free: 250 * MB, starter: 2 * GB, growth: 10 * GB, pro: 50 * GB };
/** Null: only `MAX_RESOURCES_PER_PROGRAM` applies. */
export const COLLECTIONS_PER_PROGRAM: Record<BillingTier, number | null> = { free: 1, starter: null, growth: null, pro: null };
/** Notifications about resources that a merchant may send to affiliates in any seven days. */
export const NOTIFICATIONS_PER_WEEK: Record<BillingTier, number> = { free: 0, starter: 2, growth: 5, pro: 10 };
