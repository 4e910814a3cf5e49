import { findStripePrograms, findStripeSecret } from './stripe-programs.queries.ts';
import { disconnectStripeAccount } from './use-cases/disconnect-stripe-account.ts';

export {
  findProgram,
  getProgramOf,
  liveEventSecrets,
  lockProgramShared,
  type ProgramRecord,
} from './program-lookup.queries.ts';
export { PROGRAM_EVENTS } from './programs.examples.ts';
export { listProgramSummaries, programReadiness } from './programs.queries.ts';
export { readinessOf } from './readiness.ts';
export { createProgram } from './use-cases/create-program.ts';
export { setStripeSecret } from './use-cases/set-stripe-secret.ts';
export { verifyEventSignature } from './verify-event-signature.ts';

/** Programs by their connection to Stripe, for the events that Stripe sends. */
export const STRIPE_PROGRAMS = {
  find: findStripePrograms,
  findSecret: findStripeSecret,
  disconnectAccount: disconnectStripeAccount,
};
export { programSchema } from './programs.wire.ts';
