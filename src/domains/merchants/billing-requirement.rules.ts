import type { BillingRequirement, BillingTier } from '../../contracts/programs.ts';

export interface BillingFacts {
  billingTier: BillingTier;
  /** Null while no payment is overdue. */
  graceEndsAt: Date | null;
  /** Whether the revenue of the month is above the ceiling of the tier. */
  isAboveTier: boolean;
}

/**
 * Derived at each reading: no process has to end a grace period. An overdue payment comes first, then the ceiling of the tier.
 */
export const billingRequirementOf = ({ billingTier, graceEndsAt, isAboveTier }: BillingFacts, now: Date): BillingRequirement => {
  if (graceEndsAt) return graceEndsAt <= now ? 'restricted' : 'grace_period';
  if (isAboveTier) return 'required';
  return billingTier === 'free' ? 'not_required' : 'active';
};
