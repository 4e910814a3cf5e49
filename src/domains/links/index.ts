export { currentTarget, type DestinationTerms } from './destination.ts';
