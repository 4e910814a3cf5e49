export { currentTarget, type DestinationTerms } from './destination.rules.ts';
export { eraseLinks } from './erase-links.steps.ts';
export { getShareUrl } from './links.queries.ts';
export { createFirstLink } from './use-cases/link.ts';
