import type { FastifyInstance } from 'fastify';
import { findPortalLogo } from '../domains/programs/index.ts';
import { notFound } from '../platform/errors.ts';
import { v7Shape } from '../platform/ids.ts';
import type { FilesInput } from './files.routes.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

/** Others made these files: they are shown as the image that they are, and nothing in them runs. Another file has another address. */
const HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  // A merchant may show it on pages of their own.
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** Logos of programs, which the API returns the addresses of. */
export const mountLogos = (app: FastifyInstance, { runtime, limit }: FilesInput): void => {
  app.get<{ Params: { id: string } }>('/logos/:id', { onRequest: limit }, async (request, reply) => {
    const { id } = request.params;
    const ctx = runtime.context({ kind: 'system', name: 'findPortalLogo' }, request.log);
    const logo = v7Shape.test(id) ? await findPortalLogo(ctx, id) : null;
    if (!logo) throw notFound('Logo');
    const etag = `"${id}"`;
    reply.headers({ ...HEADERS, etag, 'content-type': logo.type });
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(logo.bytes);
  });
};
