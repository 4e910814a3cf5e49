import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MountInput } from '../api/mount.ts';
import { callOperation } from '../api/pipeline/call-operation.ts';
import type { ProgramSite } from '../platform/context.ts';
import { notFound } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
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

/**
 * Under the domain of a program, only pages of this program are shown; under a name that nobody proved, none at all. What is no page, such as
 * the API and files with a signed address, is the same under every name. For those who are signed in, operations decide what a domain shows.
 */
export const mountSites = (app: FastifyInstance, { runtime }: Pick<MountInput, 'runtime'>, sites: Sites): void => {
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
    const site = await sites.find(name, request.log);
    if (!page) return site ? reply.redirect(startOf(site), 302) : undefined;
    const params = request.params as Readonly<Record<string, string | undefined>>;
    if (!site || !isShownUnder(page, params, site)) throw notFound('Page');
    if (params['token'] !== undefined && !(await isOfProgram(params['token'], site, request))) throw notFound('Page');
    request.site = site;
  });

  /**
   * For proxies that obtain a certificate when a name is first opened. A proxy asks for all callers from one address: a limit by address
   * would let one of them keep others from their certificates.
   */
  app.get<{ Querystring: { domain?: unknown } }>('/tls/ask', async ({ query, log }, reply) => {
    const name = typeof query.domain === 'string' ? nameOf(query.domain) : null;
    const site = name === null ? null : await sites.find(name, log);
    return reply.code(site ? 200 : 404).send();
  });
};

const START = '/';

const startOf = ({ portalSlug }: Site): string => (portalSlug === null ? '/portal' : path('/join/{portalSlug}', { portalSlug }));
