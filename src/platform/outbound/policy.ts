import { canonicalAddress } from './address-rules.ts';

interface InnerAddress {
  address: string;
  /** Null stands for every port. */
  port: number | null;
}

/** What this installation allows beyond the public internet, and what it never dials. */
export interface OutboundPolicy {
  allowedInner: readonly InnerAddress[];
  refusedInner: readonly InnerAddress[];
  /** Our own public address: events must not loop back into the service. */
  own: { host: string; port: number };
}

/** `127.0.0.1:*`, `10.0.0.7:8080`, `[::1]:9000`. */
const readInner = (text: string): InnerAddress => {
  const [, host = '', port = ''] = /^\[?([0-9a-fA-F.:]+?)\]?:(\*|\d{1,5})$/.exec(text.trim()) ?? [];
  const address = canonicalAddress(host);
  if (address === null) throw new Error('WEBHOOK_*_INNER must list address:port or address:* pairs');
  return { address, port: port === '*' ? null : Number(port) };
};

export const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Reads the settings; a pair that cannot be read stops the process at its start. */
export const readPolicy = (settings: {
  allowedInner: readonly string[];
  refusedInner: readonly string[];
  publicUrl: string;
}): OutboundPolicy => {
  const own = new URL(settings.publicUrl);
  return {
    allowedInner: settings.allowedInner.map(readInner),
    refusedInner: settings.refusedInner.map(readInner),
    own: { host: bareHost(own), port: portOf(own) },
  };
};

const names = (list: readonly InnerAddress[], address: string, port: number): boolean =>
  list.some((pair) => pair.address === address && (pair.port === null || pair.port === port));

/** True when the settings name this inner address and port, and no refusal names it too. */
export const isAllowedInner = (policy: OutboundPolicy, address: string, port: number): boolean => {
  const canonical = canonicalAddress(address);
  return canonical !== null && names(policy.allowedInner, canonical, port) && !names(policy.refusedInner, canonical, port);
};

export const isRefusedInner = (policy: OutboundPolicy, address: string, port: number): boolean => {
  const canonical = canonicalAddress(address);
  return canonical === null || names(policy.refusedInner, canonical, port);
};
