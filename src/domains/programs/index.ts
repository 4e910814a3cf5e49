export { findProgram, getProgramOf, liveEventSecrets, type ProgramFacts } from './program-facts.queries.ts';
export { listProgramCards, type ProgramCard } from './programs.queries.ts';
export { createProgram } from './use-cases/create-program.ts';
