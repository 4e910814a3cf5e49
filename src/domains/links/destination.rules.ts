import type { LandingPage } from '../programs/program.entity.ts';

/** What a program says about where links may lead. */
export interface DestinationTerms {
  website: string | null;
  landingPageUrl: string | null;
  allowedLandingPages: readonly LandingPage[];
  allowCustomDestinations: boolean;
}

export const DESTINATION_RULES = {
  malformed: 'must be a plain http or https URL without user name, spaces, backslashes and control characters',
  no_website: 'cannot be set: the program has no website',
  foreign_host: "must be on the program's website or a subdomain of it, with the same port",
  insecure: 'must use https',
  not_allowed: "is not on the program's list of allowed landing pages",
} as const;

export type DestinationRule = keyof typeof DESTINATION_RULES;

export type Destination = { url: string } | { broken: DestinationRule };

/** Two slashes, a host without user name, and its end: parsers accept more spellings, which other parsers read differently. */
const PLAIN_START = /^https?:\/\/[^/?#@\\]+([/?#]|$)/i;
const ODD_CHARACTER = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u;

/** A website at `www.` may have pages beside it. */
const isOnDomain = (host: string, website: string): boolean => {
  const domain = website.replace(/^www\.(?=.+\.)/, '');
  return host === domain || host.endsWith(`.${domain}`);
};

const isListed = ({ allowedLandingPages }: DestinationTerms, page: string): boolean =>
  allowedLandingPages.some(({ path }) => path === page);

/** The destination of a link that leads to a page of the program's list. */
export const readDestinationPath = (terms: DestinationTerms, path: string): Destination => {
  if (!isListed(terms, path)) return { broken: 'not_allowed' };
  if (terms.website === null) return { broken: 'no_website' };
  // Listed paths survive parsing unchanged, so they cannot leave the website.
  return { url: new URL(terms.website).origin + path };
};

/**
 * The destination of a link as an absolute URL, normalized: what was checked is what a browser is sent to. Hosts are compared
 * after parsing, in their ASCII form, so no look-alike is equal.
 */
export const readTargetUrl = (terms: DestinationTerms, text: string): Destination => {
  const url = PLAIN_START.test(text) && !ODD_CHARACTER.test(text) ? URL.parse(text) : null;
  // An empty label: a leading, a doubled or a final dot.
  if (!url || url.hostname.split('.').includes('')) return { broken: 'malformed' };
  if (terms.website === null) return { broken: 'no_website' };
  const website = new URL(terms.website);
  if (!isOnDomain(url.hostname, website.hostname)) return { broken: 'foreign_host' };
  if (url.protocol !== 'https:' && url.protocol !== website.protocol) return { broken: 'insecure' };
  if (url.port !== website.port) return { broken: 'foreign_host' };
  const allowed = terms.allowCustomDestinations || isListed(terms, url.pathname + url.search + url.hash);
  return allowed ? { url: url.href } : { broken: 'not_allowed' };
};

/** The stored target of a link; null when the program's settings have forbidden it since it was stored. */
export const currentTarget = (terms: DestinationTerms, targetUrl: string | null): string | null => {
  if (targetUrl === null) return null;
  const read = readTargetUrl(terms, targetUrl);
  return 'url' in read ? read.url : null;
};
