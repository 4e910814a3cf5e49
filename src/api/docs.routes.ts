import { createHash } from 'node:crypto';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocsLimit } from './docs-limit.ts';
import { contentPolicyOf } from './docs-policy.ts';
import { createOpenApi } from './openapi.ts';
import { API_PREFIX } from './pipeline/operations.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';
import { OPERATIONS } from './routes.ts';

const JSON_UTF8 = 'application/json; charset=utf-8';

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

/**
 * The OpenAPI document and its page. The page loads nothing from other hosts. All responses share their bytes: a client that
 * asks often and reads slowly holds no copies.
 */
export const mountDocs = async (app: FastifyInstance, limit: DocsLimit): Promise<void> => {
  const document = toAsset(JSON.stringify(createOpenApi(OPERATIONS)), JSON_UTF8);
  const shared = new Map<string, Asset>();
  const assetOf = (text: string, type: string): Asset => {
    const asset = shared.get(text) ?? toAsset(text, type);
    shared.set(text, asset);
    return asset;
  };

  app.get(`${API_PREFIX}/openapi.json`, async (_request, reply) => reply.type(JSON_UTF8).send(document.bytes));
  await app.register((pages, _options, mounted) => {
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(PAGE_HEADERS);
      await limit(request, reply);
    });
    pages.get('/docs/openapi.json', async (request, reply) => reply.type(JSON_UTF8).send(bodyFor(request, reply, document)));
    // The page and its script are constant strings: each would be encoded anew for every response.
    pages.addHook('onSend', async (request, reply, payload) => {
      if (typeof payload !== 'string' || reply.statusCode !== 200) return payload;
      return bodyFor(request, reply, assetOf(payload, String(reply.getHeader('content-type'))));
    });
    pages.register(reference, {
      routePrefix: '/docs',
      configuration: {
        url: '/docs/openapi.json',
        pageTitle: 'Tributary API reference',
        authentication: { preferredSecurityScheme: 'apiKey' },
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        hideClientButton: true,
        showDeveloperTools: 'never',
      },
    });
    mounted();
  });
};
