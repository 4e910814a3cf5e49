import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { ERRORS } from '../contracts/error-codes.ts';
import { openRemittance } from '../domains/payouts/index.ts';
import { AppError } from '../platform/errors.ts';
import { escapeHtml } from '../platform/http/escape-html.ts';
import type { FilesInput } from './files.routes.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

/** Hashes the style in the page itself: a stored page may have another style than this version. Its text is escaped and has no tags. */
const styleSourceOf = (html: string): string => {
  const style = /<style>([^<]*)<\/style>/.exec(html)?.[1];
  return style === undefined ? "'none'" : `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
};

/** The address is a secret, and the page about a person. */
const headersOf = (html: string) => ({
  ...PAGE_HEADERS,
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
  'content-security-policy': `default-src 'none'; style-src ${styleSourceOf(html)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
});

const errorPage = (message: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Remittance advice</title></head><body><main><h1>Remittance advice</h1><p>${escapeHtml(message)}.</p></main></body></html>`;

/** People open these pages from a mail too: what is wrong with a URL is said as a page. */
const pageOf = async (open: () => Promise<string>): Promise<{ status: number; html: string }> => {
  try {
    return { status: 200, html: await open() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: ERRORS[error.code].status, html: errorPage(error.message) };
  }
};

/** Remittance advices by signed URL. */
export const mountRemittances = (app: FastifyInstance, { runtime, limit }: FilesInput): void => {
  const options = { exposeHeadRoute: false, onRequest: limit };
  app.get<{ Params: { token: string } }>('/files/remittances/:token', options, async (request, reply) => {
    const ctx = runtime.context({ kind: 'system', name: 'openRemittance' }, request.log);
    const { status, html } = await pageOf(() => openRemittance(ctx, request.params.token));
    return reply.code(status).headers(headersOf(html)).type('text/html; charset=utf-8').send(html);
  });
};
