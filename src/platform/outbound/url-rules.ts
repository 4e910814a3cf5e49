import { isIP } from 'node:net';
import { isPublicAddress } from './address-rules.ts';
import { bareHost, isAllowedPrivate, isDenied, type OutboundPolicy, portOf } from './policy.ts';

/** A URL that passed every rule that needs no name resolution. */
export interface Target {
  secure: boolean;
  /** Without brackets and without the final dot. */
  host: string;
  port: number;
  /** Path and query, as they go into the request line. */
  path: string;
  hostHeader: string;
  /** The addresses, if the URL contains one; no name is resolved then. */
  literal: string[] | null;
}

export const URL_RULES = {
  invalid_url: 'must be an absolute URL',
  https_required: 'must use https',
  user_info: 'must not contain a user name or password',
  fragment: 'must not contain a fragment',
  blocked_port: 'uses a port that is not allowed: use 443, 8443, or a port from 1024 up that is not assigned to a known service',
  blocked_host: 'must have a public host name',
  blocked_address: 'must resolve to public addresses only',
  own_host: 'must not point to this service',
} as const;

export type UrlRule = keyof typeof URL_RULES;

const PRIVATE_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/** Databases, queues, control planes and remote shells from 1024 up. */
const SERVICE_PORTS = new Set([
  1433, 1521, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 4444, 5432, 5433, 5671, 5672, 5900, 5901, 5984, 5985,
  5986, 6000, 6379, 6380, 6443, 6666, 6667, 7000, 7001, 7233, 7234, 7474, 7687, 8086, 8125, 8500, 8600, 9042, 9092, 9093, 9160,
  9200, 9300, 10250, 10255, 11211, 15672, 16379, 26379, 26257, 27017, 27018, 27019, 28015,
]);

const isAllowedPort = (port: number): boolean =>
  port === 443 || port === 8443 || (port >= 1024 && port <= 65_535 && !SERVICE_PORTS.has(port));

/** `localhost` is the loopback address by definition (RFC 6761) and is never resolved. */
const literalsOf = (host: string): string[] | null => {
  if (isIP(host) !== 0) return [host];
  return host === 'localhost' ? ['127.0.0.1'] : null;
};

const isSelf = (policy: OutboundPolicy, host: string, port: number): boolean =>
  host === policy.own.host && (isIP(host) === 0 && host !== 'localhost' ? true : port === policy.own.port);

const ruleOfLiteral = (policy: OutboundPolicy, url: URL, address: string, port: number): UrlRule | null => {
  if (isAllowedPrivate(policy, address, port)) return null;
  if (!isPublicAddress(address) || isDenied(policy, address, port)) return 'blocked_address';
  if (url.protocol !== 'https:') return 'https_required';
  return isAllowedPort(port) ? null : 'blocked_port';
};

const ruleOfName = (url: URL, host: string, port: number): UrlRule | null => {
  if (!host.includes('.') || PRIVATE_NAMES.test(host)) return 'blocked_host';
  if (url.protocol !== 'https:') return 'https_required';
  return isAllowedPort(port) ? null : 'blocked_port';
};

const ruleBrokenBy = (policy: OutboundPolicy, url: URL): UrlRule | null => {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'https_required';
  if (url.username !== '' || url.password !== '') return 'user_info';
  if (url.href.includes('#')) return 'fragment';
  const host = bareHost(url);
  const port = portOf(url);
  if (host === '') return 'blocked_host';
  if (isSelf(policy, host, port)) return 'own_host';
  const [literal] = literalsOf(host) ?? [];
  return literal === undefined ? ruleOfName(url, host, port) : ruleOfLiteral(policy, url, literal, port);
};

/** Validates the parsed URL, not its text: the parser has normalized every way to write an address. */
export const readTarget = (policy: OutboundPolicy, text: string): Target | { broken: UrlRule } => {
  const url = URL.parse(text);
  // The parser silently drops line breaks and spaces; the stored URL must be the one that is used.
  if (!url || /[\s\p{Cc}\p{Cs}]/u.test(text)) return { broken: 'invalid_url' };
  const broken = ruleBrokenBy(policy, url);
  if (broken) return { broken };
  const host = bareHost(url);
  return {
    secure: url.protocol === 'https:',
    host,
    port: portOf(url),
    path: url.pathname + url.search,
    hostHeader: url.host,
    literal: literalsOf(host),
  };
};

/** True if every address is allowed. A single denied one makes the whole target denied. */
export const mayDial = (policy: OutboundPolicy, target: Target, addresses: readonly string[]): boolean =>
  addresses.length > 0 &&
  addresses.every(
    (address) =>
      isAllowedPrivate(policy, address, target.port) ||
      (target.secure && isPublicAddress(address) && !isDenied(policy, address, target.port)),
  );
