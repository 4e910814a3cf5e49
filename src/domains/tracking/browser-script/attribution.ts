import { isAllowed } from './consent.ts';
import { attempt, config, warn } from './page.ts';

/** The cookies, by the ends of their names: click token, program, source, visitor, and time in milliseconds. */
const NAMES = ['cid', 'pid', 'src', 'vid', 'ts'] as const;
type Name = (typeof NAMES)[number];
export type Attribution = Record<Name, string>;

export const TOKEN = /^clk_[0-9a-f]{32}$/;

export const readCookie = (name: Name): string =>
  attempt(
    () => new RegExp(`(?:^|; )agentref_${name}=([^;]*)`).exec(document.cookie)?.[1] ?? '',
    () => '',
  );

/** An empty value removes the cookie. */
const writeCookie = (name: Name, value: string): void =>
  attempt(
    () => {
      const seconds = value ? config.cookieDays * 86_400 : 0;
      const secure = location.protocol === 'https:' ? '; Secure' : '';
      const cookie = `agentref_${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists on https pages of some browsers only
      document.cookie = `${cookie}; Domain=${config.websiteDomain}`;
      // A domain that is a public suffix is rejected: then only this host gets the cookie.
      // biome-ignore lint/suspicious/noDocumentCookie: as above
      if (readCookie(name) !== value) document.cookie = cookie;
    },
    () => {},
  );

/** The attribution of this page when the browser stores no cookies. */
let unstored: Attribution | null = null;

export const readAttribution = (): Attribution | null => {
  if (unstored) return unstored;
  const stored = Object.fromEntries(NAMES.map((name) => [name, readCookie(name)])) as Attribution;
  return TOKEN.test(stored.cid) && stored.pid === config.programId ? stored : null;
};

export const storeAttribution = (attribution: Attribution): void => {
  for (const name of NAMES) writeCookie(name, attribution[name]);
  unstored = readCookie('cid') === attribution.cid ? null : attribution;
  if (unstored) warn('tracking_verify_failed');
};

export const clearAttribution = (): void => {
  unstored = null;
  for (const name of NAMES) if (readCookie(name)) writeCookie(name, '');
};

/** Empty without an attribution, or without the visitor's consent. */
export const getCheckoutMetadata = (): Record<string, string> => {
  const stored = isAllowed() ? readAttribution() : null;
  return stored ? { agentref_cid: stored.cid, agentref_pid: stored.pid, agentref_source: stored.src } : {};
};
