/** Some proxies write the port into X-Forwarded-For, which is another one for each connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3})):\d+$/;

/** The bucket of an address. IPv6 callers own at least a /64, so the whole block shares one; IPv4-mapped IPv6 is IPv4. */
export const addressBucket = (written: string): string => {
  const ip = written.replace(WITH_PORT, '$1$2').toLowerCase();
  if (ip.startsWith('::ffff:') && ip.includes('.')) return ip.slice(7);
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
};

const BLOCK = /^([^:]+:[^:]+:[^:]+):[^:]+::\/64$/;

/** The /48 that the bucket of an IPv6 address is in: one customer may own all of its 65,536 blocks. Null for IPv4. */
export const networkOf = (bucket: string): string | null => {
  const [, network] = BLOCK.exec(bucket) ?? [];
  return network === undefined ? null : `${network}::/48`;
};
