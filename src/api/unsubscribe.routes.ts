import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findSubscribedProgram, unsubscribe } from '../domains/notifications/index.ts';
import { enteredText } from '../platform/http/escape-html.ts';
import type { Runtime } from '../runtime.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

/** The address names the recipient: it is neither cached nor passed on as a referrer. */
const HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
};
const MAX_FORM_BYTES = 4_096;

const pageOf = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Unsubscribe</title></head><body>${body}</body></html>`;

const button = (list: 'program' | 'all', text: string): string =>
  `<form method="post"><button name="list" value="${list}">${text}</button></form>`;

const askPage = (name: string): string =>
  pageOf(
    `<h1>Unsubscribe</h1><p>Mails about invites to ${name} and its new marketing material. Mails about your payouts, changed details and security go on.</p>${button('program', `Unsubscribe from ${name}`)}${button('all', 'Unsubscribe from all programs')}`,
  );

const NOT_FOUND = pageOf('<p>This link is not valid. Use the one in the latest mail.</p>');

interface TokenRoute {
  Params: { token: string };
}

/**
 * Where a recipient unsubscribes. Opening the page changes nothing, because mail programs open links ahead of people; a POST of the
 * page or of a mail program (RFC 8058) does.
 */
export const mountUnsubscribe = async (
  app: FastifyInstance,
  runtime: Runtime,
  limit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Promise<void> => {
  const contextOf = (request: FastifyRequest) => runtime.context({ kind: 'system', name: 'unsubscribe' }, request.log);
  const send = (reply: FastifyReply, status: 200 | 404, page: string): FastifyReply =>
    reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(page);

  await app.register((pages, _options, done) => {
    pages.removeAllContentTypeParsers();
    // A mail program may send its one field as multipart/form-data: whatever it says, it is about the program of the mail.
    pages.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (_request, body, parsed) =>
      parsed(null, body),
    );

    pages.get<TokenRoute>('/unsubscribe/:token', { onRequest: limit }, async (request, reply) => {
      const program = await findSubscribedProgram(contextOf(request), request.params.token);
      return program ? send(reply, 200, askPage(enteredText(program.name))) : send(reply, 404, NOT_FOUND);
    });

    pages.post<TokenRoute>('/unsubscribe/:token', { onRequest: limit }, async (request, reply) => {
      const ctx = contextOf(request);
      const { token } = request.params;
      const all = typeof request.body === 'string' && new URLSearchParams(request.body).get('list') === 'all';
      const program = await findSubscribedProgram(ctx, token);
      if (!program || !(await unsubscribe(ctx, { token, all }))) return send(reply, 404, NOT_FOUND);
      const of = all ? 'any program' : enteredText(program.name);
      return send(reply, 200, pageOf(`<p>You get no more mails about invites to ${of} and new marketing material.</p>`));
    });
    done();
  });
};
