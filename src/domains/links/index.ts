export { createFirstLink } from './create-first-link.ts';
export { currentTarget, type DestinationTerms } from './destination.ts';
export { getShareUrl } from './links.queries.ts';
