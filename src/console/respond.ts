import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayCall } from '../api/pipeline/call-operation.ts';
import { PAGE_HEADERS } from '../api/pipeline/security-headers.ts';
import type { FieldCipher } from '../platform/crypto/field-cipher.ts';
import type { CookieRules, Cookies } from './cookies.ts';
import { flashCookie, readFlash } from './flash.ts';
import { render } from './html.ts';
import { layout, type NavigationLink } from './layout.ts';
import { type Audience, type Download, HOME, type Page, type PageResult, type Redirect, type View } from './page.ts';
import { actingAs, actorOf, languageAndFormat } from './page-call.ts';
import type { EmbedSession, PersonSession } from './sessions.ts';
import type { Texts } from './texts/texts.ts';
import { ownPath, path } from './url.ts';

/** Nothing is loaded from another host, nothing inline runs, and no other site shows a page in a frame unless it is named. */
const contentPolicy = (frames: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    frames.length === 0 ? "frame-ancestors 'none'" : `frame-ancestors ${frames.map(originOf).join(' ')}`,
    "base-uri 'none'",
  ].join('; ');

/** An origin only: anything else could add a rule of its own. */
const originOf = (text: string): string => new URL(text).origin;

export const CONSOLE_HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': contentPolicy([]),
  // Without a referrer at all, browsers send `Origin: null` with forms.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
} as const;

export const SIGN_OUT_PATH = '/sign-out';
export const COMPANIES_PATH = '/console/companies';

export interface Responder {
  sendView(request: FastifyRequest, reply: FastifyReply, audience: Audience, view: View): Promise<FastifyReply>;
  send(request: FastifyRequest, reply: FastifyReply, audience: Audience, result: PageResult): Promise<FastifyReply>;
}

export interface ResponderOf {
  pages: readonly Page[];
  cookies: CookieRules;
  cipher: Pick<FieldCipher, 'digest'>;
}

export const createResponder = ({ pages, cookies, cipher }: ResponderOf): Responder => {
  const signOutPath = pages.some(({ path, forms }) => path === SIGN_OUT_PATH && 'main' in forms) ? SIGN_OUT_PATH : null;
  const companiesPath = pages.some(({ path, view }) => path === COMPANIES_PATH && view) ? COMPANIES_PATH : null;
  const entries = pages.filter(({ navigation }) => navigation !== undefined);

  /** Lists the pages that the person may open. */
  const navigationOf = (audience: Audience, request: FastifyRequest, texts: Texts): NavigationLink[] => {
    const { page } = request.routeOptions.config;
    const actor = actorOf(requestOf(request, audience));
    if (actor.kind === 'anonymous') return [];
    return entries.flatMap(({ path, navigation, audience: of, uses }) => {
      if (!navigation || of !== audience || !uses.every((id) => mayCall(id, actor))) return [];
      const { label, icon } = navigation;
      const isCurrent = page !== undefined && (page.path === path || page.below === path);
      return [{ href: path, label: typeof label === 'string' ? label : label(texts), icon, isCurrent }];
    });
  };

  const setCookies = (reply: FastifyReply, given: Cookies): void => {
    for (const [name, cookie] of Object.entries(given)) {
      if (cookie === null) reply.clearCookie(cookies.nameOf(name), cookies.options);
      else {
        const { value, maxAgeSeconds: maxAge } = cookie;
        reply.setCookie(cookies.nameOf(name), value, maxAge === undefined ? cookies.options : { ...cookies.options, maxAge });
      }
    }
  };

  const sendView: Responder['sendView'] = async (request, reply, audience, view) => {
    const { personSession: person, site } = request;
    const flash = audience === 'embed' ? null : readFlash(cipher, request.cookies?.[cookies.nameOf('flash')]);
    const ofPerson = audience === 'affiliate' && person?.brand ? { brand: person.brand } : {};
    const { frames = [], brand } = { ...ofPerson, ...(site && { brand: site.brand }), ...request.embedSession, ...view };
    const { language, texts } = languageAndFormat(requestOf(request, audience));
    setCookies(reply, { ...(flash ? { flash: null } : {}), ...view.cookies });
    const page = layout({
      audience,
      language,
      texts,
      view: brand ? { ...view, brand } : view,
      home: homeOf(audience, request),
      navigation: navigationOf(audience, request, texts),
      flash,
      person: person && { name: person.name, owner: actingAs({ audience, person })?.name ?? null },
      companiesPath: audience === 'merchant' && person?.merchant ? companiesPath : null,
      signOutPath,
      isBoosted: request.headers['hx-boosted'] === 'true',
    });
    reply.code(view.status ?? 200).headers(CONSOLE_HEADERS);
    // The address holds a secret.
    if (audience === 'embed') reply.header('referrer-policy', 'no-referrer');
    if (frames.length > 0) reply.header('content-security-policy', contentPolicy(frames)).removeHeader('x-frame-options');
    return reply.type('text/html; charset=utf-8').send(await render(page));
  };

  const sendRedirect = (reply: FastifyReply, { to, flash, cookies: given }: Redirect): FastifyReply => {
    setCookies(reply, { ...(flash ? { flash: flashCookie(cipher, flash) } : {}), ...given });
    return reply.headers(CONSOLE_HEADERS).redirect(ownPath(to, '/'), 303);
  };

  const sendFile = (reply: FastifyReply, { name, contentType, content }: Download): FastifyReply => {
    const fileName = name.replaceAll(/[^\w.-]/g, '_');
    return reply
      .headers(CONSOLE_HEADERS)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .type(contentType)
      .send(content);
  };

  return {
    sendView,
    async send(request, reply, audience, result) {
      if (result.kind === 'redirect') return sendRedirect(reply, result);
      return result.kind === 'download' ? sendFile(reply, result) : sendView(request, reply, audience, result);
    },
  };
};

/** The address of an embedded page carries its token. */
const homeOf = (audience: Audience, { embedSession }: FastifyRequest): string =>
  path(HOME[audience], {}, { token: embedSession?.token });

/** What the language of a page follows from. */
export const requestOf = (
  { id, headers, personSession: person, embedSession: embed }: FastifyRequest,
  audience: Audience,
): {
  audience: Audience;
  person: PersonSession | null;
  embed: EmbedSession | null;
  requestId: string;
  acceptLanguage: string | undefined;
} => ({
  audience,
  person,
  embed,
  requestId: id,
  acceptLanguage: headers['accept-language'],
});
