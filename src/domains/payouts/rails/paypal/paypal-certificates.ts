import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { request } from 'undici';
import { HOUR_MS, SECOND_MS } from '../../../../platform/clock.ts';
import { readUpTo } from '../rail-http.ts';
import type { PayPalEnvironment } from './paypal-account.ts';

/** Each environment signs with its own certificates. */
const SOURCES: Readonly<Record<PayPalEnvironment, { hosts: readonly string[]; name: string }>> = {
  live: { hosts: ['api.paypal.com', 'api-m.paypal.com'], name: 'messageverificationcerts.paypal.com' },
  sandbox: {
    hosts: ['api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'],
    name: 'messageverificationcerts.sandbox.paypal.com',
  },
};

const CERTIFICATE_PATH = /^\/v1\/notifications\/certs\/[A-Za-z0-9_-]{1,200}$/;

/** Its path and host when PayPal itself serves it. An attacker signs with a certificate of their own, at an address of their own. */
export const certificateAddress = (text: string, environment: PayPalEnvironment): URL | null => {
  const url = text.length <= 500 ? URL.parse(text) : null;
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return null;
  const isPlain = url.search === '' && url.hash === '' && url.href === text;
  return isPlain && SOURCES[environment].hosts.includes(url.hostname) && CERTIFICATE_PATH.test(url.pathname) ? url : null;
};

const MAX_CHAIN = 8;
const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,16384}-----END CERTIFICATE-----/g;

/** The leaf first. Empty when there is none. */
export const certificatesIn = (pem: string): X509Certificate[] => {
  try {
    return (pem.match(PEM) ?? []).slice(0, MAX_CHAIN).map((each) => new X509Certificate(each));
  } catch {
    return [];
  }
};

/**
 * Whether PayPal signs with it: valid now, in its name, and issued by a trusted root. The name alone is worthless, since anybody can write it
 * into a certificate.
 */
export const isTrusted = (
  [leaf, ...others]: readonly X509Certificate[],
  { environment, roots, now }: { environment: PayPalEnvironment; roots: readonly X509Certificate[]; now: Date },
): boolean => {
  const name = /(?:^|\n)CN=([^\n]+)/.exec(leaf?.subject ?? '')?.[1];
  if (!leaf || name !== SOURCES[environment].name || !isValid(leaf, now)) return false;
  let issued = leaf;
  for (let depth = 0; depth < MAX_CHAIN; depth += 1) {
    const child = issued;
    const issuers = (among: readonly X509Certificate[]) =>
      among.find((issuer) => issuer.ca && isValid(issuer, now) && child.checkIssued(issuer) && child.verify(issuer.publicKey));
    if (issuers(roots)) return true;
    const next = issuers(others);
    if (!next || next.fingerprint256 === child.fingerprint256) return false;
    issued = next;
  }
  return false;
};

const isValid = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now < validToDate;

export type FoundCertificate = { certificate: X509Certificate } | { problem: 'unknown' | 'untrusted' | 'try_later' };

export interface CertificateSource {
  find(url: URL, now: Date): Promise<FoundCertificate>;
}

const DEADLINE_MS = 3 * SECOND_MS;
const MAX_BYTES = 65_536;

/** Certificates of one environment, kept until they end. `standIn` serves its own, with its own root, in place of PayPal's sandbox. */
export const createCertificateSource = (environment: PayPalEnvironment, standIn: string | null): CertificateSource => {
  const known = new LRUCache<string, readonly X509Certificate[]>({ max: 20, ttl: 12 * HOUR_MS });
  const rootsOf = async (): Promise<X509Certificate[] | null> =>
    standIn === null ? publicRoots() : certificatesIn((await fetchText(`${standIn}/double/root.pem`)) ?? '');
  return {
    async find(url, now) {
      let chain = known.get(url.href);
      if (!chain) {
        const text = await fetchText(standIn === null ? url.href : standIn + url.pathname);
        if (text === null) return { problem: 'unknown' };
        chain = certificatesIn(text ?? '');
      }
      const roots = await rootsOf();
      // PayPal has served other things there.
      if (chain.length === 0 || !roots || roots.length === 0) return { problem: 'try_later' };
      const [certificate] = chain;
      if (!certificate || !isTrusted(chain, { environment, roots, now })) return { problem: 'untrusted' };
      known.set(url.href, chain);
      return { certificate };
    },
  };
};

let parsedRoots: X509Certificate[] | null = null;
const publicRoots = (): X509Certificate[] => (parsedRoots ??= rootCertificates.map((pem) => new X509Certificate(pem)));

/** Null when there is no such certificate; empty when it cannot be had now. Follows no redirects. */
const fetchText = async (url: string): Promise<string | null> => {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const text = await readUpTo(MAX_BYTES, body);
    if (statusCode === 404) return null;
    return statusCode === 200 ? text : '';
  } catch {
    return '';
  }
};
