import { AppError, notFound } from '../../platform/errors.ts';
import { type PublicReply, type PublicRoute, publicRoute, type SignedCalls } from '../../platform/http/public-route.ts';
import { uuid } from '../../platform/http/schemas.ts';
import { verifyCallSignature } from '../programs/index.ts';
import { isActiveWebsite } from './clicks.queries.ts';
import {
  type ClickBody,
  type ClickView,
  clickBody,
  clickHeaders,
  clickSchema,
  codeParams,
  toClick,
  visitorOf,
} from './clicks.wire.ts';
import { followLink, recordClick } from './use-cases/click.ts';

const tracking = { tag: 'Tracking', limiter: 'tracking', cache: 'no-store' } as const;

const NO_PAGE: PublicReply = {
  kind: 'text',
  status: 404,
  contentType: 'text/html; charset=utf-8',
  text: '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Link not found</title><h1>Link not found</h1><p>This link does not exist. Check that the address is complete.</p></html>\n',
};

const clickExample: ClickView = {
  status: 'ok',
  reason: null,
  affiliateCode: 'ada',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  clickToken: 'clk_0198f1c29a3f7c0e8d21b6a5f4c3e297',
  cookieDuration: 30,
};

const clickBodyExample = {
  programId: clickExample.programId,
  pageUrl: 'https://acme.example/pricing?via=ada&utm_source=newsletter',
  referralCode: 'ada',
  referrer: 'https://blog.example/best-tools',
  consentGranted: true,
  visitorId: 'v_6f1d2c3b4a59',
};

/** With the event secret of the program. */
const signed: SignedCalls = {
  async verify(ctx, { signer, ...message }) {
    const { data: programId } = uuid.safeParse(signer);
    if (programId === undefined) throw notFound('Program');
    return verifyCallSignature(ctx, { programId, ...message });
  },
  signerOf: (body) => String((body as { programId?: unknown } | null)?.programId ?? ''),
  visitorOf: (body) => visitorOf(body as ClickBody),
};

export const clickRoutes: PublicRoute[] = [
  publicRoute({
    ...tracking,
    id: 'recordClick',
    method: 'POST',
    path: '/api/tracking/click',
    summary: 'Report a click',
    description:
      "Called by the script on pages of the program's website: `Origin`, or else `Referer`, must be the domain of the website or a subdomain of it. A server that reports clicks itself signs the call with the event secret of the program and sends `visitorIp`, `userAgent` and a `visitorId`; such calls need no `Origin` and are not limited by address. Unsigned, it sends the visitor's `User-Agent`, a `visitorId`, and an `Origin` of the website. A click that does not count is `ignored` with a `reason`, and has no token. A repeat of the same visitor, code and page within 30 seconds is one click with one token.",
    body: clickBody,
    signed,
    cors: { allows: isActiveWebsite },
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
    responses: { 200: { description: 'Success', schema: clickSchema, example: clickExample } },
    exampleBody: clickBodyExample,
    headers: clickHeaders,
    async handle({ ctx, body: { visitorIp, userAgent, ...body }, visit, isSigned }) {
      if (!isSigned && (visitorIp ?? userAgent) !== undefined)
        throw new AppError(
          'UNAUTHORIZED',
          'The fields visitorIp and userAgent need a signature with the event secret of the program',
        );
      const isOwnAddress = visitorIp !== undefined || visit.isFromPage;
      return { kind: 'json', data: toClick(await recordClick(ctx, { ...body, visit, isSigned, isOwnAddress })) };
    },
  }),
  publicRoute({
    ...tracking,
    id: 'followLink',
    method: 'GET',
    path: '/r/{code}',
    summary: 'Follow a redirect link',
    description:
      "Counts a click and redirects to the target of the link, else the landing page of the program, else its website, with `via` and the click token in `agentref_cid`. The query of the request is passed on: at most 20 parameters, and none that the page has already. Paused programs redirect without counting; prefetches and `HEAD` do not count. Where consent is required, the page's script counts the click once it is given.",
    params: codeParams,
    takesRest: true,
    cors: 'none',
    errors: ['BAD_REQUEST'],
    responses: {
      302: { description: 'Redirects to a page of the program' },
      404: { description: 'No link has this code, or its program has no page', contentType: 'text/html' },
    },
    handle: async ({ ctx, params, visit }) => {
      const url = await followLink(ctx, { code: params.code, visit });
      return url === null ? NO_PAGE : { kind: 'redirect', url };
    },
  }),
];
