import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const cidr = (text: string): Block => ipaddr.parseCIDR(text);

/** In public ranges, but used for private services. */
const NON_PUBLIC_V4 = [cidr('168.63.129.16/32')];
/** The only IPv6 space that is allocated (RFC 4291); everything else is not public. */
const GLOBAL_V6 = cidr('2000::/3');
/** Translates to IPv4 (RFC 6052): the embedded address decides. */
const NAT64 = cidr('64:ff9b::/96');
/** Protocol assignments including Teredo, documentation, 6to4: inside the allocated space but not public. */
const NON_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20', '2002::/16'].map(cidr);

const inBlock = (address: ipaddr.IPv4 | ipaddr.IPv6, [block, bits]: Block): boolean =>
  address.kind() === block.kind() && address.match(block as never, bits);

const isPublicV4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !NON_PUBLIC_V4.some((block) => inBlock(address, block));

const isPublicV6 = (address: ipaddr.IPv6): boolean => {
  if (address.zoneId) return false;
  if (address.isIPv4MappedAddress()) return isPublicV4(address.toIPv4Address());
  if (inBlock(address, NAT64)) return isPublicV4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return inBlock(address, GLOBAL_V6) && address.range() === 'unicast' && !NON_PUBLIC_V6.some((block) => inBlock(address, block));
};

/** True for a unicast address of the public internet. Unrecognized text is not public. */
export const isPublicAddress = (text: string): boolean => {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  return address.kind() === 'ipv4' ? isPublicV4(address as ipaddr.IPv4) : isPublicV6(address as ipaddr.IPv6);
};

/** One spelling per address; IPv4-mapped IPv6 becomes IPv4. Null when the text is not an address. */
export const canonicalAddress = (text: string): string | null => (isIP(text) === 0 ? null : ipaddr.process(text).toString());
