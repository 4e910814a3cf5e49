import type { Readiness } from '../../contracts/programs.ts';

export interface ReadinessInput {
  website: string | null;
  /** Stripe is connected, its signing secret is stored, or an event secret was issued. */
  hasPaymentSource: boolean;
  hasTrackedClick: boolean;
  hasApprovedAffiliate: boolean;
}

/** How much of a program's setup is done. */
export const readinessOf = (program: ReadinessInput): Readiness => {
  if (program.hasPaymentSource && program.hasTrackedClick && program.hasApprovedAffiliate) return 'ready';
  return program.website === null && !program.hasPaymentSource ? 'setup' : 'partial';
};
