import type { Readiness } from '../../contracts/programs.ts';

export interface ReadinessInput {
  website: string | null;
  /** Stripe is connected, or an event secret was issued. */
  hasPaymentSource: boolean;
  hasTrackedClick: boolean;
  hasApprovedAffiliate: boolean;
}

/** How far a program is from earning its first commission. */
export const readinessOf = (facts: ReadinessInput): Readiness => {
  if (facts.hasPaymentSource && facts.hasTrackedClick && facts.hasApprovedAffiliate) return 'ready';
  return facts.website === null && !facts.hasPaymentSource ? 'setup' : 'partial';
};
