import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowStrangers, findSubscription, type SubscribedTo, unsubscribe } from '../domains/notifications/index.ts';
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

type Choice = 'program' | 'all' | 'strangers' | 'again';

const button = (choice: Choice, text: string): string =>
  `<form method="post"><button name="list" value="${choice}">${text}</button></form>`;

const strangersPage = (isEnded: boolean): string =>
  pageOf(
    isEnded
      ? `<p>Nobody can have us write to you by entering your address.</p>${button('again', 'Allow these emails again')}`
      : `<h1>Never write to me again</h1><p>Anybody can enter your address to join a program, to open an account, or to invite you. You won't get an email about that any more. Emails for signing in, and about your payouts, changed details and security, still arrive.</p>${button('strangers', 'Never write to me again')}`,
  );

const askPage = (subscribed: SubscribedTo): string => {
  if (subscribed.kind === 'strangers') return strangersPage(subscribed.isEnded);
  const name = enteredText(subscribed.name);
  return pageOf(
    `<h1>Unsubscribe</h1><p>Mails about invites to ${name} and its new marketing material. Mails about your payouts, changed details and security go on.</p>${button('program', `Unsubscribe from ${name}`)}${button('all', 'Unsubscribe from all programs')}`,
  );
};

const donePage = (subscribed: SubscribedTo, choice: Choice): string => {
  if (choice === 'again') return pageOf('<p>People can have us write to you again.</p>');
  if (subscribed.kind === 'strangers') return strangersPage(true);
  const of = choice === 'all' ? 'any program' : enteredText(subscribed.name);
  return pageOf(`<p>You get no more mails about invites to ${of} and new marketing material.</p>`);
};

const CHOICES: readonly string[] = ['all', 'again'] satisfies Choice[];

/** A mail program names none: it ends what the mail is about. */
const choiceIn = (body: unknown): Choice => {
  const list = typeof body === 'string' ? new URLSearchParams(body).get('list') : null;
  return list !== null && CHOICES.includes(list) ? (list as Choice) : 'program';
};

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
      const subscribed = await findSubscription(contextOf(request), request.params.token);
      return subscribed ? send(reply, 200, askPage(subscribed)) : send(reply, 404, NOT_FOUND);
    });

    pages.post<TokenRoute>('/unsubscribe/:token', { onRequest: limit }, async (request, reply) => {
      const ctx = contextOf(request);
      const { token } = request.params;
      const choice = choiceIn(request.body);
      const subscribed = await findSubscription(ctx, token);
      const change = choice === 'again' ? allowStrangers(ctx, { token }) : unsubscribe(ctx, { token, all: choice === 'all' });
      if (!(await change) || !subscribed) return send(reply, 404, NOT_FOUND);
      return send(reply, 200, donePage(subscribed, choice));
    });
    done();
  });
};
