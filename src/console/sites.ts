import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { MountInput } from '../api/mount.ts';
import { callOperation } from '../api/pipeline/call-operation.ts';
import { rateLimited } from '../api/pipeline/caller.ts';
import { FOREIGN_NAMES_PER_MINUTE } from '../contracts/limits.ts';
import { bounded } from '../platform/bounded.ts';
import { SECOND_MS } from '../platform/clock.ts';
import type { ProgramSite } from '../platform/context.ts';
import { hashToken } from '../platform/crypto/token.ts';
import { notFound } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { decideByAddress } from '../platform/redis/address-limit.ts';
import type { Brand } from './brand.ts';
import type { Page } from './page.ts';
import { path } from './url.ts';

/** A program whose pages are shown under its own domain. */
export interface Site extends ProgramSite {
  portalSlug: string | null;
  brand: Brand;
}

export interface Sites {
  /** Null for every name that no program has proved to own. */
  find(host: string, log: Logger): Promise<Site | null>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The program under whose domain a page was asked for; null under the name of this server. */
    site: Site | null;
  }
}

/** Pages for everybody that are part of a program. All others, such as those of companies, are under the name of this server only. */
const PUBLIC_PAGES = /^(?:\/join\/|\/i\/|\/sign-in$|\/sign-in\/(?:code|link)$|\/sign-out$)/;

const isShownUnder = (page: Page, { portalSlug }: Readonly<Record<string, string | undefined>>, site: Site): boolean => {
  if (page.audience === 'merchant' || (page.audience === 'public' && !PUBLIC_PAGES.test(page.path))) return false;
  return portalSlug === undefined || portalSlug === site.portalSlug;
};

/** Names are looked up. Addresses, and names of one machine or network, are not: health checks and `npm start` come by them. */
const nameOf = (hostname: string): string | null => {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name.includes('.') && isIP(name) === 0 ? name : null;
};

/** So long a name that nobody has proved is not looked up again. Those of programs are, with each page. */
const UNKNOWN_MS = 5 * SECOND_MS;

/** Remembers for some seconds which names are of no program: anybody can send any name. */
const rememberUnknown = (sites: Sites): Sites => {
  const unknown = new LRUCache<string, true>({ ...bounded(10_000), ttl: UNKNOWN_MS });
  return {
    async find(host, log) {
      if (unknown.has(host)) return null;
      const site = await sites.find(host, log);
      if (!site) unknown.set(host, true);
      return site;
    },
  };
};

/** Compares digests, so that the time tells nothing. */
const isSame = (given: unknown, expected: string): boolean =>
  typeof given === 'string' && timingSafeEqual(hashToken(given), hashToken(expected));

/**
 * Under the domain of a program, only pages of this program are shown; under a name that nobody proved, none at all. What is no page, such as
 * the API and files with a signed address, is the same under every name. For those who are signed in, operations decide what a domain shows.
 */
export const mountSites = (
  app: FastifyInstance,
  { runtime, limiter }: Pick<MountInput, 'runtime' | 'limiter'>,
  given: Sites,
): void => {
  const sites = rememberUnknown(given);
  const { TLS_ASK_TOKEN: token } = runtime.config;
  const own = new URL(runtime.settings.publicUrl).hostname;

  const isOfProgram = async (token: string, { programId }: Site, request: FastifyRequest): Promise<boolean> => {
    const by = { actor: { kind: 'anonymous' }, origin: undefined, log: request.log, requestId: request.id, runtime } as const;
    const found = await callOperation('getInvite', { params: { token } }, by);
    return !('error' in found) && found.data.programId === programId;
  };

  app.addHook('onRequest', async (request, reply) => {
    const { url, config } = request.routeOptions;
    const { page } = config;
    if (!page && url !== START) return;
    const name = nameOf(request.hostname);
    if (name === null || name === own) return;
    const rate = await decideByAddress(limiter, { group: 'h', address: request.address, limit: FOREIGN_NAMES_PER_MINUTE });
    if (!rate.allowed) {
      reply.header('retry-after', rate.retryAfter);
      throw rateLimited(rate);
    }
    const site = await sites.find(name, request.log);
    if (!page) return site ? reply.redirect(startOf(site), 302) : undefined;
    const params = request.params as Readonly<Record<string, string | undefined>>;
    if (!site || !isShownUnder(page, params, site)) throw notFound('Page');
    if (params['token'] !== undefined && !(await isOfProgram(params['token'], site, request))) throw notFound('Page');
    request.site = site;
  });

  /**
   * For the proxy that obtains a certificate when a name is first opened, which shows a token: it asks for all callers from one address, so a
   * limit by address would let one of them keep others from their certificates. Without the token, nothing is looked up.
   */
  app.get<{ Querystring: { domain?: unknown; token?: unknown } }>('/tls/ask', async ({ query, log }, reply) => {
    if (token === undefined || !isSame(query.token, token)) return reply.code(404).send();
    const name = typeof query.domain === 'string' ? nameOf(query.domain) : null;
    const site = name === null ? null : await sites.find(name, log);
    return reply.code(site ? 200 : 404).send();
  });
};

const START = '/';

const startOf = ({ portalSlug }: Site): string => (portalSlug === null ? '/portal' : path('/join/{portalSlug}', { portalSlug }));
