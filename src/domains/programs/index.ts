export { listDuePayoutTurns, type PayoutTurn, takePayoutTurn } from './payout-turn.steps.ts';
export { findPortalSite, type PortalSite } from './portal-domain.queries.ts';
export { PORTAL_COLUMNS, type PortalFields, type PortalRow, portalFields, toPortalFields } from './portal-fields.steps.ts';
export {
  findProgram,
  liveEventSecrets,
  lockProgramShared,
  type ProgramRecord,
  programTurn,
  readOwnedProgram,
  sharedProgramAfter,
} from './program-lookup.queries.ts';
export { findPortalLogo } from './program-portal.queries.ts';
export { PROGRAM_EVENTS } from './programs.examples.ts';
export { listProgramSummaries, programReadiness } from './programs.queries.ts';
export { portalSlug, programSchema } from './programs.wire.ts';
export { readinessOf } from './readiness.rules.ts';
export { forgetSigningSecrets } from './signing-secrets.cache.ts';
export { createStripeConnect, STRIPE_CALLBACK_PATH, STRIPE_OAUTH_PATH, type StripeConnect } from './stripe-connect.calls.ts';
export { findStripePrograms, joinStripeEndpoints, type StripeProgram, type StripeSource } from './stripe-programs.queries.ts';
export { checkPortalDomains } from './use-cases/check-portal-domains.ts';
export { disconnectStripeAccount } from './use-cases/disconnect-stripe-account.ts';
export { createProgram } from './use-cases/program.ts';
export { setStripeSecret } from './use-cases/set-stripe-secret.ts';
export { verifyCallSignature, verifyEventSignature, verifyProgramStripeEvent } from './verify-event-signature.steps.ts';
