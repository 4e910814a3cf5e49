export { findProgram, getProgramOf, liveEventSecrets, type ProgramRecord } from './program-lookup.queries.ts';
export { listProgramCards } from './programs.queries.ts';
export { createProgram } from './use-cases/create-program.ts';
