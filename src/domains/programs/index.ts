export {
  findProgram,
  getProgramOf,
  liveEventSecrets,
  lockProgramShared,
  type ProgramRecord,
} from './program-lookup.queries.ts';
export { PROGRAM_EVENTS } from './programs.examples.ts';
export { listProgramSummaries, PROGRAM_READINESS, type ProgramSummary } from './programs.queries.ts';
export { recordEventSecretUse } from './record-event-secret-use.ts';
export { findStripePrograms, findStripeSecret } from './stripe-programs.queries.ts';
export { createProgram } from './use-cases/create-program.ts';
export { setStripeSecret } from './use-cases/set-stripe-secret.ts';
