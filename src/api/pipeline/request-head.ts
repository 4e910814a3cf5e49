import type { FastifyRequest } from 'fastify';
import { badRequest } from './errors.ts';

/** A second one would be read differently by a proxy (RFC 9112, section 3.2). */
const SINGLE_HEADERS = new Set([
  'host',
  'authorization',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'transfer-encoding',
]);
const VERSIONS = new Set(['1.0', '1.1']);
/** Registered names and addresses with an optional port (RFC 9110, section 7.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** Rejects heads that another HTTP implementation would read differently, on every path. */
export const assertUnambiguous = (request: FastifyRequest): void => {
  const { httpVersion, rawHeaders } = request.raw;
  const { host, 'transfer-encoding': coding } = request.headers;
  if (!VERSIONS.has(httpVersion)) throw badRequest('HTTP version', 'must be 1.1 or 1.0');
  if (httpVersion === '1.1' && host === undefined) throw badRequest('Host header', 'is missing');
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) throw badRequest(`${name} header`, 'is repeated');
    seen.add(name);
  }
  if (host !== undefined && !HOST.test(host)) throw badRequest('Host header', 'is not a host name');
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked'))
    throw badRequest('transfer-encoding header', 'must be chunked, in HTTP/1.1');
  if (!hasValidQuery(request.raw.url ?? '')) throw badRequest('query', 'is not percent-encoded UTF-8');
};

/** The router checks the escapes of the path; query parsers keep invalid ones as text. */
const hasValidQuery = (url: string): boolean => {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return true;
  try {
    decodeURIComponent(url.slice(start));
    return true;
  } catch {
    return false;
  }
};
