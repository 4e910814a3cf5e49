import type { PayoutMethod } from './affiliates.ts';

export const PAYOUT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** Legal moves. `completed` to `failed` only happens when a rail sends the money back. */
const TRANSITIONS: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
  failed: [],
};

export const canTransition = (from: PayoutStatus, to: PayoutStatus): boolean => TRANSITIONS[from].includes(to);

export const RAILS = ['manual', 'sandbox'] as const;
export type Rail = (typeof RAILS)[number];

/**
 * `created`: written before anything is sent. `unknown`: it may have been executed, only a look-up may follow.
 * `returned`: paid, and the money came back.
 */
export const ATTEMPT_OUTCOMES = ['created', 'accepted', 'paid', 'failed', 'unknown', 'returned'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

const ATTEMPT_TRANSITIONS: Record<AttemptOutcome, readonly AttemptOutcome[]> = {
  created: ['accepted', 'paid', 'failed', 'unknown'],
  unknown: ['accepted', 'paid', 'failed'],
  accepted: ['paid', 'failed'],
  paid: ['returned'],
  failed: [],
  returned: [],
};

export const canTransitionAttempt = (from: AttemptOutcome, to: AttemptOutcome): boolean => ATTEMPT_TRANSITIONS[from].includes(to);

/** What a rail says about an attempt, by notification or when asked. */
export const RAIL_STATUSES = ['accepted', 'paid', 'failed', 'returned'] as const;
export type RailStatus = (typeof RAIL_STATUSES)[number];

/** Why a payout failed: stable words for callers; a rail's own code stands beside it in the timeline. */
export const FAILURE_CODES = ['cancelled', 'marked_failed', 'rail_refused', 'invalid_details', 'returned', 'no_rail'] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Where an affiliate is paid. Stored encrypted only. */
export interface PayoutDetails {
  method: PayoutMethod;
  paypalEmail: string | null;
  bankIban: string | null;
  bankAccountHolder: string | null;
}
