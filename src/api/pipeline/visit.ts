import type { FastifyRequest } from 'fastify';
import type { Visit } from '../../platform/http/public-route.ts';
import { webPageOf } from '../../platform/http/web-page.ts';
import { browserOf } from './caller.ts';

const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
const PREFETCH = /prefetch|prerender|preview/i;

/** The host of a web page's address; null for anything else, such as the origin `null` of a sandboxed page. */
const hostOf = (page: string): string | null => webPageOf(page)?.hostname ?? null;

/** An `Origin` decides alone: a `Referer` beside it may be that of another page. */
export const visitOf = (request: FastifyRequest): Visit => {
  const { headers, method, raw } = request;
  const { origin, referer } = headers;
  const page = origin ?? referer;
  const [, query = ''] = (raw.url ?? '').split(/\?(.*)/s);
  return {
    ...browserOf(request),
    method,
    host: page === undefined ? null : hostOf(page),
    referer: referer ?? null,
    isFromPage: headers['sec-fetch-site'] !== undefined,
    isPrefetch: PREFETCH_HEADERS.some((name) => PREFETCH.test(String(headers[name] ?? ''))),
    query: new URLSearchParams(query),
  };
};
