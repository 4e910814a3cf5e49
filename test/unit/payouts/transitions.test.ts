import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  canTransition,
  canTransitionAttempt,
  PAYOUT_STATUSES,
  type PayoutStatus,
} from '../../../src/contracts/payouts.ts';

const LEGAL: Record<PayoutStatus, PayoutStatus[]> = {
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
  failed: [],
};

it.each(PAYOUT_STATUSES.flatMap((from) => PAYOUT_STATUSES.map((to) => [from, to] as const)))(
  'a payout moves from %s to %s only by the table',
  (from, to) => {
    expect(canTransition(from, to)).toBe(LEGAL[from].includes(to));
  },
);

const ATTEMPTS: Record<AttemptOutcome, AttemptOutcome[]> = {
  created: ['accepted', 'paid', 'failed', 'unknown'],
  unknown: ['accepted', 'paid', 'failed'],
  accepted: ['paid', 'failed'],
  paid: ['returned'],
  failed: [],
  returned: [],
};

it.each(ATTEMPT_OUTCOMES.flatMap((from) => ATTEMPT_OUTCOMES.map((to) => [from, to] as const)))(
  'an attempt moves from %s to %s only by the table',
  (from, to) => {
    expect(canTransitionAttempt(from, to)).toBe(ATTEMPTS[from].includes(to));
  },
);
