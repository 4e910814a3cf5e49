import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { createOpenApi } from './openapi.ts';
import { API_PREFIX } from './pipeline/operations.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';
import { OPERATIONS } from './routes.ts';

/** The OpenAPI document and its page. The page loads nothing from other hosts. */
export const mountDocs = async (app: FastifyInstance): Promise<void> => {
  const text = JSON.stringify(createOpenApi(OPERATIONS));
  app.get(`${API_PREFIX}/openapi.json`, async (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  await app.register((pages, _options, mounted) => {
    pages.addHook('onRequest', async (_request, reply) => void reply.headers(PAGE_HEADERS));
    pages.register(reference, {
      routePrefix: '/docs',
      configuration: {
        content: text,
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
