import type { FastifyRequest } from 'fastify';

/**
 * Whether a form came from a page of this origin. Browsers say so in `Sec-Fetch-Site`, which pages cannot set, and on insecure hosts
 * other than localhost in `Origin` only. A post without both is none of a browser. `Origin: null` is that of a sandboxed page, or of one
 * that sends no referrer.
 */
export const isFromOwnPage = ({ headers, host }: FastifyRequest, ownOrigin: string): boolean => {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined && origin === undefined) return false;
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined || origin === ownOrigin || URL.parse(origin)?.host === host;
};
