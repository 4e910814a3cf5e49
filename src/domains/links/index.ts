export { type CodeDestination, findDestination } from './destinations.queries.ts';
