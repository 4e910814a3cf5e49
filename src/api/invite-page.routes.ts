import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getInvite, type PublicInviteView, tokenParams } from '../domains/invites/index.ts';
import { AppError } from '../platform/errors.ts';
import { enteredText, escapeHtml } from '../platform/http/escape-html.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import { visibleLine } from '../platform/visible-line.ts';
import type { Runtime } from '../runtime.ts';
import { rateLimited } from './pipeline/caller.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

const PAGES_PER_MINUTE = 60;

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem;color:#1c1c1c;background:#fff}h1{font-size:1.4rem;line-height:1.25}dt{color:#595959}dd{margin:0 0 .75rem}code{overflow-wrap:anywhere;background:#f2f2f2;padding:.1rem .3rem;border-radius:.25rem}li{margin-bottom:.5rem}a{color:#0b57d0}@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}dt{color:#aaa}code{background:#2b2b2b}a{color:#8ab4f8}}';

/** The address is a secret: it is neither cached, listed by search engines nor passed on as a referrer. */
const HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

/** `heading` is HTML. */
const pageOf = (title: string, body: string, heading = escapeHtml(title)): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${heading}</h1>${body}</main></body></html>`;

const NOT_FOUND = pageOf('Invite not found', '<p>Check that the link is whole, or ask whoever sent it for another one.</p>');

const CLOSED: Readonly<Record<Exclude<PublicInviteView['status'], 'open'>, string>> = {
  used_up: 'This invite has been claimed as often as it can be.',
  expired: 'This invite has expired. Ask the company for another one.',
  program_inactive: 'The program takes nobody at the moment.',
};

const MONTHS: Readonly<Record<PublicInviteView['commissionType'], (months: number | null) => string>> = {
  one_time: () => 'of the first payment of each customer',
  recurring: () => 'of every payment of each customer',
  recurring_limited: (months) => `of the payments of each customer in ${months ?? 12} months`,
};

const termOf = (name: string, value: string): string => `<dt>${name}</dt><dd>${value}</dd>`;

/** Only what a browser opens as a page. Shown as it is requested: a name in another script is its ASCII form. */
const linkOf = (url: string | null): string | null => {
  const { protocol, href } = URL.parse(url ?? '') ?? { protocol: null, href: '' };
  return protocol === 'https:' || protocol === 'http:'
    ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow"><bdi>${escapeHtml(href)}</bdi></a>`
    : null;
};

const termsOf = (invite: PublicInviteView): string => {
  const [website, terms] = [linkOf(invite.website), linkOf(invite.termsUrl)];
  return [
    '<dl>',
    termOf('Program', enteredText(invite.programName)),
    termOf('Company', enteredText(invite.companyName)),
    website && termOf('Website', website),
    termOf('Commission', `${invite.commissionPercent} % ${MONTHS[invite.commissionType](invite.commissionLimitMonths)}`),
    terms && termOf('Terms', terms),
    termOf('Open until', `${invite.expiresAt.slice(0, 16).replace('T', ' ')} UTC`),
    '</dl>',
  ]
    .filter(Boolean)
    .join('');
};

const stepsOf = ({ token, isForOnePerson }: PublicInviteView): string =>
  [
    `<h2>How to join</h2><p><a href="/portal/invites/${escapeHtml(token)}">Sign in and join</a>, if you are an affiliate already. With the API:</p><ol>`,
    `<li>Get an affiliate key from the operator of this service${isForOnePerson ? ', for the email address that the invite was sent to' : ''}.</li>`,
    `<li>Claim the invite with it: <code>POST /api/v1/invites/${escapeHtml(token)}/claim</code></li>`,
    '</ol><p>Opening this page does not join anything. How to call the API is in the <a href="/docs">documentation</a>.</p>',
  ].join('');

const invitePage = (invite: PublicInviteView): string =>
  pageOf(
    `${visibleLine(invite.companyName)} invites you to ${visibleLine(invite.programName)}`,
    termsOf(invite) + (invite.status === 'open' ? stepsOf(invite) : `<p><strong>${CLOSED[invite.status]}</strong></p>`),
    `${enteredText(invite.companyName)} invites you to ${enteredText(invite.programName)}`,
  );

const findInvite = async (runtime: Runtime, request: FastifyRequest, token: string): Promise<PublicInviteView | null> => {
  if (!tokenParams.safeParse({ token }).success) return null;
  try {
    return await getInvite(runtime.context({ kind: 'system', name: 'invite page' }, request.log), token);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
};

/** Where the link of an invite leads: what it offers, and how to claim it. Opening it changes nothing. */
export const mountInvitePage = (app: FastifyInstance, runtime: Runtime, limiter: RateLimiter): void => {
  const limit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const rate = await limiter.decide(`p:${request.address}`, PAGES_PER_MINUTE);
    if (rate.allowed) return;
    reply.header('retry-after', rate.retryAfter).header('cache-control', 'no-store');
    throw rateLimited(rate);
  };
  app.get<{ Params: { token: string } }>('/i/:token', { onRequest: limit }, async (request, reply) => {
    const invite = await findInvite(runtime, request, request.params.token);
    return reply
      .code(invite ? 200 : 404)
      .headers(HEADERS)
      .type('text/html; charset=utf-8')
      .send(invite ? invitePage(invite) : NOT_FOUND);
  });
};
