import { canonicalAddress } from './address-rules.ts';

interface AddressRule {
  address: string;
  /** Null stands for every port. */
  port: number | null;
}

/** Private addresses that are allowed, and addresses that are never connected to. */
export interface OutboundPolicy {
  allowedPrivate: readonly AddressRule[];
  denied: readonly AddressRule[];
  /** The service's own public address: webhooks must not loop back into it. */
  own: { host: string; port: number };
}

/** `127.0.0.1:*`, `10.0.0.7:8080`, `[::1]:9000`. */
const readAddressRule = (text: string): AddressRule => {
  const [, host = '', port = ''] = /^\[?([0-9a-fA-F.:]+?)\]?:(\*|\d{1,5})$/.exec(text.trim()) ?? [];
  const address = canonicalAddress(host);
  if (address === null)
    throw new Error('WEBHOOK_ALLOWED_PRIVATE_ADDRESSES and WEBHOOK_DENIED_ADDRESSES must list address:port or address:* pairs');
  return { address, port: port === '*' ? null : Number(port) };
};

export const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

/** A pattern for the dots at the end would start at each dot before them. */
const withoutFinalDots = (host: string): string => {
  let end = host.length;
  while (host.endsWith('.', end)) end -= 1;
  return host.slice(0, end);
};

export const bareHost = (url: URL): string => withoutFinalDots(url.hostname.replace(/^\[|\]$/g, ''));

/** Reads the settings. Throws if an entry is malformed. */
export const readPolicy = (settings: {
  allowedPrivate: readonly string[];
  denied: readonly string[];
  publicUrl: string;
}): OutboundPolicy => {
  const own = new URL(settings.publicUrl);
  return {
    allowedPrivate: settings.allowedPrivate.map(readAddressRule),
    denied: settings.denied.map(readAddressRule),
    own: { host: bareHost(own), port: portOf(own) },
  };
};

const names = (list: readonly AddressRule[], address: string, port: number): boolean =>
  list.some((pair) => pair.address === address && (pair.port === null || pair.port === port));

/** True when the settings allow this private address and port and do not deny it. */
export const isAllowedPrivate = (policy: OutboundPolicy, address: string, port: number): boolean => {
  const canonical = canonicalAddress(address);
  return canonical !== null && names(policy.allowedPrivate, canonical, port) && !names(policy.denied, canonical, port);
};

export const isDenied = (policy: OutboundPolicy, address: string, port: number): boolean => {
  const canonical = canonicalAddress(address);
  return canonical === null || names(policy.denied, canonical, port);
};
