import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countedAs, turnsOf } from '../api/hardening/load-shedding.ts';
import type { Mount, MountInput } from '../api/mount.ts';
import { mayCall, operationOf } from '../api/pipeline/call-operation.ts';
import { browserOf, rateLimited } from '../api/pipeline/caller.ts';
import { DISCONNECTED, toAppError } from '../api/pipeline/errors.ts';
import { callerFields } from '../api/pipeline/log-request.ts';
import { AppError, forbidden } from '../platform/errors.ts';
import { statusOf } from '../platform/http/envelope.ts';
import { decideByAddress } from '../platform/redis/address-limit.ts';
import { mountAssets } from './assets.ts';
import { cookieRules } from './cookies.ts';
import { isFromOwnPage } from './cross-site.ts';
import { crossSiteView, errorView } from './error-view.ts';
import { parseForms } from './form-bodies.ts';
import { type FreshCheck, mountPage, type PageServer } from './mount-page.ts';
import { HOME, type Page, redirect } from './page.ts';
import { actingAs, languageAndFormat, OperationFailed } from './page-call.ts';
import { createResponder, type Responder, requestOf } from './respond.ts';
import {
  type ActingAs,
  type BrowserRequest,
  type EmbedSession,
  type Embeds,
  noEmbeds,
  type PersonSession,
  type Sessions,
} from './sessions.ts';
import { mountSites, type Sites } from './sites.ts';
import { mountThemes } from './theme.ts';
import { ownPath, path } from './url.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    page?: Page;
  }
  interface FastifyRequest {
    /** Who is signed in; null on everything that is no page. */
    personSession: PersonSession | null;
    /** What an embedded page shows; null on all others. */
    embedSession: EmbedSession | null;
  }
}

export interface ConsoleOptions {
  pages: readonly Page[];
  sessions(input: MountInput): Sessions;
  embeds?(input: MountInput): Embeds;
  /** Left out: every name shows the same. */
  sites?(input: MountInput): Sites;
  freshCheck?: FreshCheck;
}

export const SIGN_IN_PATH = '/sign-in';
const ANONYMOUS_PAGES_PER_MINUTE = 60;

/** A form of another site. */
class CrossSiteError extends Error {}

/** All pages, in a scope of their own: only they read cookies and forms. */
export const consoleOf =
  ({ pages, sessions: sessionsOf, embeds: embedsOf, sites: sitesOf, freshCheck }: ConsoleOptions): Mount =>
  async (app, input) => {
    const { runtime } = input;
    const cookies = cookieRules(runtime.settings.publicUrl);
    const responder = createResponder({ pages, cookies, cipher: runtime.cipher });
    const toBrowser = (request: FastifyRequest): BrowserRequest => ({
      ...browserOf(request),
      cookie: (name) => request.cookies[cookies.nameOf(name)],
      // A request may name its host too.
      path: ownPath(request.url.split('?')[0], '/'),
      site: request.site,
      log: request.log,
    });
    const server: PageServer = {
      runtime,
      freshCheck: freshCheck ?? null,
      browserOf: toBrowser,
      send: (request, reply, { audience }, result) => responder.send(request, reply, audience, result),
    };
    const embeds = embedsOf?.(input) ?? noEmbeds;
    const admit = admitTo({ ...input, sessions: sessionsOf(input), embeds, toBrowser, responder });

    app.decorateRequest('site', null);
    if (sitesOf) mountSites(app, input, sitesOf(input));
    app.decorateRequest('personSession', null);
    app.decorateRequest('embedSession', null);
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      parseForms(scope);
      await scope.register(cookie);
      scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, responder));
      scope.addHook('onRequest', async (request, reply) => {
        const { page } = request.routeOptions.config;
        if (page) await admit(page, request, reply);
      });
      scope.addHook('preHandler', async (request, reply) => {
        const { page } = request.routeOptions.config;
        if (page) await app.hardening.loadShedder.enter(reply, { ...countedAs(request), owner: ownerOf(page, request) });
      });
      mountAssets(scope);
      mountThemes(scope);
      for (const page of pages) mountPage(scope, page, server);
      mountUnknown(scope, responder);
    });
  };

/** A page is urgent with one of its forms: whoever sends it has to open it first. */
const isUrgent = ({ forms }: Page): boolean => Object.values(forms).some(({ uses }) => uses.some((id) => operationOf(id).urgent));

const ownerOf = (page: Page, { personSession: person, embedSession: embed }: FastifyRequest): string | undefined => {
  const ownerId = actingAs({ audience: page.audience, person, embed })?.ownerId;
  if (ownerId === undefined || !person) return ownerId;
  return turnsOf({ ownerId, callerId: person.personId, isUrgent: isUrgent(page) });
};

interface AdmitOf extends MountInput {
  sessions: Sessions;
  embeds: Embeds;
  toBrowser(request: FastifyRequest): BrowserRequest;
  responder: Responder;
}

/** In this order: no form of another site, the session, one request of the person or address, the right to open the page. */
const admitTo = ({ runtime, limiter, sessions, embeds, toBrowser, responder }: AdmitOf) => {
  const { origin } = new URL(runtime.settings.publicUrl);

  /** Null: nobody is known, and the address counts. */
  const bucketOf = ({ personSession: person }: FastifyRequest, acting: ActingAs | null): string | null => {
    if (person) return `person:${person.personId}:${acting?.ownerId ?? 'none'}`;
    return acting ? `embed:${acting.ownerId}` : null;
  };

  /** One page is one request of the person for a merchant or a profile, or of an embedded page for a profile. */
  const count = async (request: FastifyRequest, acting: ActingAs | null): Promise<void> => {
    const bucket = bucketOf(request, acting);
    const limit = acting?.perMinute ?? ANONYMOUS_PAGES_PER_MINUTE;
    const { address } = request;
    const rate = await (bucket === null
      ? decideByAddress(limiter, { group: 'p', address, limit })
      : limiter.decide(bucket, limit));
    if (!rate.allowed) throw rateLimited(rate);
  };

  /** Cookies play no part: an embedded page shows the same to everybody who has its address. */
  const admitEmbed = async ({ audience, uses }: Page, request: FastifyRequest): Promise<void> => {
    const { token } = request.query as Record<string, unknown>;
    const session = typeof token === 'string' ? await embeds.read(token, request.log) : null;
    const { site } = request;
    request.embedSession = site && session?.merchantId !== site.merchantId ? null : session;
    const acting = actingAs({ audience, person: null, embed: request.embedSession });
    if (acting) request.log = request.log.child({ ownerId: acting.ownerId });
    await count(request, acting);
    if (!acting) throw new AppError('UNAUTHORIZED', 'The token of this page has ended');
    if (!uses.every((id) => mayCall(id, acting.actor))) throw forbidden();
  };

  return async (page: Page, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { audience, uses } = page;
    if (request.method === 'POST' && !isFromOwnPage(request, request.site?.origin ?? origin)) throw new CrossSiteError();
    if (audience === 'embed') return admitEmbed(page, request);
    const person = await sessions.read(toBrowser(request));
    request.personSession = person;
    const acting = actingAs({ audience, person });
    if (person) request.log = request.log.child({ personId: person.personId, ...(acting && { ownerId: acting.ownerId }) });
    await count(request, acting);
    if (audience === 'public') return;
    if (!person) {
      const next = request.method === 'POST' ? HOME[audience] : request.url;
      await responder.send(request, reply, audience, redirect(path(SIGN_IN_PATH, {}, { next })));
      return;
    }
    if (!acting || !uses.every((id) => mayCall(id, acting.actor))) throw forbidden();
  };
};

/** Unknown addresses below the pages are pages too. */
const mountUnknown = (scope: FastifyInstance, responder: Responder): void => {
  for (const audience of ['merchant', 'affiliate'] as const) {
    scope.get(`${HOME[audience]}/*`, async (request, reply) => {
      const { texts } = languageAndFormat(requestOf(request, audience));
      const error = { status: 404, message: null, requestId: request.id, retryAfterSeconds: 0 };
      return responder.sendView(request, reply, audience, errorView(error, texts, audience));
    });
  }
};

const toStatus = (error: unknown, request: FastifyRequest): { status: number; known: OperationFailed['error'] | null } => {
  if (error instanceof OperationFailed) return { status: error.status, known: error.error };
  const known = toAppError(error, request.method);
  return known ? { status: statusOf(known), known } : { status: 500, known: null };
};

const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply, responder: Responder): Promise<FastifyReply> => {
  const audience = request.routeOptions.config.page?.audience ?? 'public';
  const { texts } = languageAndFormat(requestOf(request, audience));
  if (error instanceof CrossSiteError) return responder.sendView(request, reply, audience, crossSiteView(texts));
  const { status, known } = toStatus(error, request);
  if (error === DISCONNECTED) request.log.debug(callerFields(request), 'client disconnected before its form was done');
  if (!known) request.log.error({ err: error, ...callerFields(request) }, 'page failed');
  const retryAfterSeconds = Number(known?.details?.['retryAfter'] ?? 1);
  if (status === 429) reply.header('retry-after', retryAfterSeconds);
  const shown = { status, message: known?.message ?? null, requestId: request.id, retryAfterSeconds };
  return responder.sendView(request, reply, audience, errorView(shown, texts, audience));
};
