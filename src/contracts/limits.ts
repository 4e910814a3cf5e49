import type { BillingTier } from './programs.ts';

/** Requests per key per minute (specification, section 8.1, and the two tiers above it). */
export const REQUESTS_PER_MINUTE: Record<BillingTier, number> = { free: 60, starter: 60, growth: 300, pro: 1000 };
export const ANONYMOUS_PER_MINUTE = 10;
export const DOCS_PER_MINUTE = 120;
/** Of one address, on each group of public routes. */
export const PUBLIC_PER_MINUTE = 120;
export const RATE_WINDOW_MS = 60_000;

export const MAX_BODY_BYTES = 1_048_576;
export const MAX_ENDPOINTS_PER_MERCHANT = 50;
export const MAX_LANDING_PAGES = 50;
export const MAX_LINKS_PER_AFFILIATE = 100;
/** Links of one affiliate with the deleted ones, whose codes stay reserved. */
export const MAX_LINK_CODES_PER_AFFILIATE = 1_000;
export const MAX_COUPONS_PER_PROGRAM = 5_000;
/** Invites that can still be claimed. */
export const MAX_OPEN_INVITES_PER_PROGRAM = 5_000;
export const MAX_INVITE_USES = 1_000;
export const INVITE_DAYS_DEFAULT = 30;
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
/** As `ATTEMPT_DAYS`, of deliveries and events. */
export const DELIVERY_DAYS = 90;
