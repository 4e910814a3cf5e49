export { findProgram, getProgramOf, liveEventSecrets, type ProgramRecord } from './program-lookup.queries.ts';
export { PROGRAM_EVENTS } from './programs.examples.ts';
export { listProgramCards, type ProgramCard } from './programs.queries.ts';
export { createProgram } from './use-cases/create-program.ts';
