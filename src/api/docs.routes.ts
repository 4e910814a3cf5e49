import { createHash } from 'node:crypto';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createOpenApi } from './openapi.ts';
import { API_PREFIX } from './pipeline/operations.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';
import { OPERATIONS } from './routes.ts';

const JSON_UTF8 = 'application/json; charset=utf-8';

interface Asset {
  bytes: Buffer;
  etag: string;
}

const toAsset = (text: string): Asset => {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
};

const sendAsset = (request: FastifyRequest, reply: FastifyReply, { bytes, etag }: Asset): FastifyReply => {
  reply.header('etag', etag);
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(bytes);
};

/**
 * The OpenAPI document and its page. The page loads nothing from other hosts. All responses share their bytes: a client that
 * asks often and reads slowly holds no copies.
 */
export const mountDocs = async (app: FastifyInstance): Promise<void> => {
  const document = toAsset(JSON.stringify(createOpenApi(OPERATIONS)));
  const shared = new Map<string, Asset>();
  const assetOf = (text: string): Asset => {
    const asset = shared.get(text) ?? toAsset(text);
    shared.set(text, asset);
    return asset;
  };

  app.get(`${API_PREFIX}/openapi.json`, async (_request, reply) => reply.type(JSON_UTF8).send(document.bytes));
  await app.register((pages, _options, mounted) => {
    pages.addHook('onRequest', async (_request, reply) => void reply.headers(PAGE_HEADERS));
    pages.get('/docs/openapi.json', async (request, reply) => sendAsset(request, reply.type(JSON_UTF8), document));
    // The page and its script are constant strings: each would be encoded anew for every response.
    pages.addHook('onSend', async (_request, reply, payload) => {
      if (typeof payload !== 'string' || reply.statusCode !== 200) return payload;
      const asset = assetOf(payload);
      reply.header('etag', asset.etag).header('content-length', asset.bytes.length);
      return asset.bytes;
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
