import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { DOCS_PER_MINUTE } from '../contracts/limits.ts';
import { decideByAddress } from '../platform/redis/address-limit.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import { createOpenApi } from './openapi.ts';
import { rateLimited } from './pipeline/caller.ts';
import { routeNotFound } from './pipeline/errors.ts';
import { API_PREFIX } from './pipeline/operations.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';
import { OPERATIONS } from './routes.ts';
import { createTextDocs } from './text-docs.ts';

const JSON_UTF8 = 'application/json; charset=utf-8';
const HTML_UTF8 = 'text/html; charset=utf-8';
const TEXT_UTF8 = 'text/plain; charset=utf-8';
const SCRIPT_UTF8 = 'application/javascript; charset=utf-8';

interface Asset {
  bytes: Buffer;
  etag: string;
  /** Headers that depend on the kind of document. */
  headers: Readonly<Record<string, string>>;
}

/** Pages and documents are revalidated on each use; the script keeps its name across versions, so it is for an hour only. */
const headersFor = (type: string, text: string): Asset['headers'] => {
  if (type.startsWith('text/html')) return { 'content-security-policy': contentPolicyOf(text) };
  return type.startsWith('application/javascript') ? { 'cache-control': 'public, max-age=3600' } : {};
};

const toAsset = (text: string, type: string): Asset => {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, etag, headers: headersFor(type, text) };
};

/** The body to send: empty for a client that has the current version. */
const bodyFor = (request: FastifyRequest, reply: FastifyReply, { bytes, etag, headers }: Asset): Buffer | null => {
  reply.headers({ etag, ...headers });
  if (request.headers['if-none-match'] === etag) {
    reply.code(304).removeHeader('content-length');
    return null;
  }
  reply.header('content-length', bytes.length);
  return bytes;
};

/** A table scrolls rather than breaking paths and names in the middle of a word, or showing one word per line. */
const PAGE_CSS = `.markdown table :is(th, td, th *, td *) { word-break: normal !important; overflow-wrap: normal !important; }
.markdown table td:first-child code { white-space: nowrap !important; }
.markdown table td:last-child { min-width: 9em !important; }
.markdown table { display: block !important; max-width: 100%; overflow-x: auto; }`;

/**
 * The page and its script, rendered once. Loaded on first use: the package holds its script of 4 MB several times, and most
 * processes never show the page.
 */
const renderPage = async (): Promise<{ page: Asset; script: Asset }> => {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const renderer = Fastify();
  renderer.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/docs/openapi.json',
      pageTitle: 'Tributary API reference',
      authentication: { preferredSecurityScheme: 'apiKey' },
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      // Each operation has samples of its own: those of the page would send no Idempotency-Key.
      hiddenClients: true,
      hideClientButton: true,
      showDeveloperTools: 'never',
      customCss: PAGE_CSS,
    },
  });
  const render = async (path: string, type: string) => toAsset((await renderer.inject(path)).body, type);
  return { page: await render('/docs/', HTML_UTF8), script: await render('/docs/js/scalar.js', SCRIPT_UTF8) };
};

/** Made at the first request: a process starts sooner without. */
const createDocuments = (): { openApi: Asset; texts: ReadonlyMap<string, Asset> } => {
  const openApi = createOpenApi(OPERATIONS);
  const texts = Object.entries(createTextDocs(openApi)).map(([path, text]) => [path, toAsset(text, TEXT_UTF8)] as const);
  return { openApi: toAsset(JSON.stringify(openApi), JSON_UTF8), texts: new Map(texts) };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const TEXT_PATHS = ['/llms.txt', '/llms-full.txt', '/docs/guides/:file', '/docs/operations/:file'];

/**
 * The OpenAPI document, its page, and the same as plain text. The page loads nothing from other hosts. All responses share their
 * bytes: a client that asks often and reads slowly holds no copies.
 */
export const mountDocs = async (app: FastifyInstance, limit: DocsLimit): Promise<void> => {
  const documents = once(createDocuments);
  const page = once(renderPage);

  app.get(`${API_PREFIX}/openapi.json`, async (_request, reply) => reply.type(JSON_UTF8).send(documents().openApi.bytes));
  await app.register((pages, _options, mounted) => {
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(PAGE_HEADERS);
      await limit(request, reply);
    });
    const serve = (path: string, type: string, assetOf: (request: FastifyRequest) => Asset | Promise<Asset>) =>
      pages.get(path, async (request, reply) => {
        const asset = await assetOf(request);
        return reply.type(type).send(bodyFor(request, reply, asset));
      });
    serve('/docs/openapi.json', JSON_UTF8, () => documents().openApi);
    for (const path of TEXT_PATHS) {
      serve(path, TEXT_UTF8, (request) => {
        const { file = '' } = request.params as { file?: string };
        return documents().texts.get(path.replace(':file', file)) ?? routeNotFound(request);
      });
    }
    serve('/docs/', HTML_UTF8, async () => (await page()).page);
    serve('/docs/js/scalar.js', SCRIPT_UTF8, async () => (await page()).script);
    pages.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301));
    pages.get('/', async (_request, reply) => reply.redirect('/docs/', 302));
    mounted();
  });
};

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi;

/** The content security policy of a page: of inline scripts, only those that the page has now may run. */
const contentPolicyOf = (html: string): string => {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self'${hashes.join('')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
};

export type DocsLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The pages need no key, and their script is large: each address may load them 120 times a minute. */
export const limitDocs =
  (limiter: RateLimiter): DocsLimit =>
  async (request, reply) => {
    const rate = await decideByAddress(limiter, { group: 'd', address: request.address, limit: DOCS_PER_MINUTE });
    if (rate.allowed) return;
    reply.header('retry-after', rate.retryAfter).header('cache-control', 'no-store');
    throw rateLimited(rate);
  };
