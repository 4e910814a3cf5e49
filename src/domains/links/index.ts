export { currentTarget, type DestinationTerms } from './destination.ts';
export { eraseLinks } from './erase-links.ts';
export { getShareUrl } from './links.queries.ts';
export { createFirstLink } from './use-cases/link.ts';
