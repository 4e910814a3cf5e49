import { currentTarget, type DestinationTerms } from './destination.rules.ts';

/** The page that a link leads to, with its code for the tracking script; null when the program has no page at all. */
export const shareUrlOf = (terms: DestinationTerms, link: { code: string; targetUrl: string | null }): string | null => {
  const page = currentTarget(terms, link.targetUrl) ?? terms.landingPageUrl ?? terms.website;
  if (page === null) return null;
  const url = new URL(page);
  url.searchParams.set('via', link.code);
  return url.href;
};

/** The address that counts a click and redirects. */
export const redirectUrlOf = (publicUrl: string, code: string): string => `${publicUrl}/r/${code}`;
