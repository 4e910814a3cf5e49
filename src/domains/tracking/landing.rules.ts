import { webPageOf } from '../../platform/http/web-page.ts';
import { repairQuery } from './browser-script/shared-links.ts';
import { OWN_PARAMETERS } from './destination-url.rules.ts';

/** What the address of a landing page and its referrer tell about a click. */
export interface Landing {
  /** Origin and path; null when there is none. */
  page: string | null;
  referrer: string | null;
  /** Where the visitor came from: `utm_source`, else the referring host, else `direct`. */
  source: string;
  /** UTM, sub and ad-click parameters, by name. */
  campaign: Readonly<Record<string, string>>;
}

const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];
const SUBS = ['sub1', 'sub2', 'sub3', 'sub4', 'sub5'];
const AD_CLICKS = ['gclid', 'gbraid', 'wbraid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id', 'epik', 'rdt_cid'];
const CAMPAIGN = [...UTM, ...SUBS, ...AD_CLICKS];
const BEGINNING = [...CAMPAIGN, ...OWN_PARAMETERS];

const MAX_VALUE_LENGTH = 255;
const MAX_SOURCE_LENGTH = 64;
const MAX_PAGE_LENGTH = 1_024;

/** Postgres stores neither null characters nor halves of a surrogate pair. */
const clean = (text: string, max: number): string =>
  text
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, max)
    .toWellFormed();

const webPage = (text: string | null | undefined): URL | null => (text ? webPageOf(text) : null);

/** The parameters of a link, also of one that was damaged on its way. */
export const readQuery = (text: string): URLSearchParams => new URLSearchParams(repairQuery(text, BEGINNING));

/** Queries and fragments are left out: they may contain personal data. */
const pageOf = (url: URL | null): string | null => url && `${url.origin}${url.pathname}`.slice(0, MAX_PAGE_LENGTH);

const campaignOf = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    CAMPAIGN.map((name) => [name, clean(query.get(name) ?? '', MAX_VALUE_LENGTH)]).filter(([, value]) => value !== ''),
  );

const sourceOf = (campaign: Landing['campaign'], page: URL | null, referrer: URL | null): string => {
  const referringHost = referrer?.hostname === page?.hostname ? undefined : referrer?.hostname.replace(/^www\./, '');
  const source = campaign['utm_source'] ?? referringHost ?? 'direct';
  return clean(source.toLowerCase(), MAX_SOURCE_LENGTH);
};

/** `query` is that of the page, or of the redirect link when there is no page. */
export const readLanding = (given: {
  pageUrl: string | null;
  referrer: string | null | undefined;
  query?: URLSearchParams;
}): Landing => {
  const page = webPage(given.pageUrl);
  const referrer = webPage(given.referrer);
  const campaign = campaignOf(given.query ?? readQuery(page?.search.slice(1) ?? ''));
  return { page: pageOf(page), referrer: pageOf(referrer), source: sourceOf(campaign, page, referrer), campaign };
};
