import { domainToASCII } from 'node:url';

const MAX_LENGTH = 253;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/**
 * A public host name as browsers send it: in ASCII and lower case, at least two labels, the last of which begins with a letter. So it is no
 * IP address, and it may be internationalized (`xn--…`).
 */
export const HOST_NAME = new RegExp(`^(?=.{4,${MAX_LENGTH}}$)(?:${LABEL}\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`);
/** What ends a host in an address: the conversion would drop it, with everything behind. */
const BEYOND_HOST = /[/?#\\@:%[\]\s]/;

/** The host name that a text stands for, in any script and case; null when it is none. Its length bounds the time of the conversion. */
export const hostNameOf = (text: string): string | null => {
  const name = text.trim().toLowerCase();
  if (name.length > MAX_LENGTH || BEYOND_HOST.test(name)) return null;
  const host = domainToASCII(name);
  return HOST_NAME.test(host) ? host : null;
};
