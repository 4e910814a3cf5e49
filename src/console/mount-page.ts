import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mayCall } from '../api/pipeline/call-operation.ts';
import { routerPath } from '../api/pipeline/operations.ts';
import { FRESH_CHECK_REQUIRED } from '../contracts/people.ts';
import { AppError, forbidden } from '../platform/errors.ts';
import type { Runtime } from '../runtime.ts';
import { type Fields, type FormState, type FormView, formView } from './components/form.ts';
import { bodyLimitOf } from './form-bodies.ts';
import { type Page, type PageCall, type PageResult, type PendingForm, redirect, type View } from './page.ts';
import { actingAs, actorOf, createPageCall, OperationFailed, type PageRequest } from './page-call.ts';
import { refusalText } from './refusals.ts';
import { requestOf } from './respond.ts';
import { keyAfter, problemsOf, readSentForm, readValues, type SentForm } from './sent-form.ts';
import type { BrowserRequest } from './sessions.ts';

export interface PageServer {
  runtime: Pick<Runtime, 'context' | 'config'>;
  /** Shown in place of an action for which people have to prove again who they are. */
  freshCheck: FreshCheck | null;
  browserOf(request: FastifyRequest): BrowserRequest;
  send(request: FastifyRequest, reply: FastifyReply, page: Page, result: PageResult): Promise<FastifyReply>;
}

/** `details` are those of the error: what the person has to do. */
export type FreshCheck = (
  page: PageCall,
  pending: PendingForm,
  details: Readonly<Record<string, unknown>>,
) => PageResult | Promise<PageResult>;

/** A form that was sent and is shown again. */
interface Resent {
  name: string;
  state: FormState;
  idempotencyKey: string;
}

/** Errors that the person who filled in a form can act on. All others have a page of their own. */
const SHOWN_IN_FORM: readonly number[] = [400, 409, 422, 429];

export const mountPage = (app: FastifyInstance, page: Page, server: PageServer): void => {
  const url = routerPath(page.path);
  const config = { page };
  if (page.view) {
    app.get(url, { config }, async (request, reply) =>
      server.send(request, reply, page, await show(page, pageRequest(page, request, server), server)),
    );
  }
  if (Object.keys(page.forms).length === 0) return;
  const bodyLimit = bodyLimitOf(page);
  app.post(url, { config, ...(bodyLimit !== undefined && { bodyLimit }) }, async (request, reply) =>
    server.send(request, reply, page, await submit(page, pageRequest(page, request, server), request.body, server)),
  );
};

const pageRequest = (page: Page, request: FastifyRequest, { browserOf }: PageServer): PageRequest => ({
  ...requestOf(request, page.audience),
  browser: browserOf(request),
  params: request.params as Record<string, string>,
  query: request.query as Record<string, unknown>,
  isGone: () => request.raw.socket.destroyed,
});

const show = async (
  page: Page,
  request: PageRequest,
  { runtime }: PageServer,
  resent: Resent | null = null,
): Promise<PageResult> => {
  if (!page.view) throw new Error(`${page.path} can only be sent`);
  const call = createPageCall(runtime, request, { uses: [...page.uses, ...page.mayUse], idempotencyKey: null });
  return page.view(call, formViewsOf(page, request, call, resent));
};

/** For whom, and by whom: what one person has opened is not sent as another who has signed in since. */
const openerOf = (request: PageRequest): string | null => {
  const acting = actingAs(request);
  if (acting === null) return null;
  return request.person ? `${acting.ownerId}.${request.person.personId}` : acting.ownerId;
};

const formViewsOf = (
  page: Page,
  request: PageRequest,
  call: PageCall,
  resent: Resent | null,
): Readonly<Record<string, FormView<Fields>>> => {
  const actor = actorOf(request);
  const views = Object.entries(page.forms).map(([name, { fields, uses }]) => {
    const again = resent?.name === name ? resent : null;
    const { texts, format } = call;
    const view = formView({
      name,
      action: request.browser.path,
      fields,
      sent: again?.state ?? null,
      idempotencyKey: again?.idempotencyKey ?? randomUUID(),
      owner: openerOf(request),
      isAllowed: uses.every((id) => mayCall(id, actor)),
      reading: { texts, format },
    });
    return [name, view] as const;
  });
  return Object.fromEntries(views);
};

const submit = async (page: Page, request: PageRequest, body: unknown, server: PageServer): Promise<PageResult> => {
  const sent = readSentForm(page, body);
  const form = sent && page.forms[sent.name];
  if (!sent || !form) throw new AppError('BAD_REQUEST', 'The page has no such form');
  if (!form.uses.every((id) => mayCall(id, actorOf(request)))) throw forbidden('This form needs a right that you do not have');
  if (sent.owner !== null && sent.owner !== openerOf(request))
    throw new AppError('CONFLICT', 'The page was opened for another company or by another person. Open it again');
  const call = createPageCall(server.runtime, request, { uses: form.uses, idempotencyKey: sent.idempotencyKey });
  const read = readValues(form.fields, sent.raw, call);
  const resend = (state: FormState, status: number, idempotencyKey = sent.idempotencyKey) =>
    showAgain({ page, request, call, server }, { name: sent.name, state, idempotencyKey }, status);
  if (!read.values) return resend({ raw: sent.raw, problems: read.problems }, 422);
  try {
    return await form.submit(call, read.values);
  } catch (error) {
    if (!(error instanceof OperationFailed)) throw error;
    const { details } = error.error;
    if (server.freshCheck && details?.['reason'] === FRESH_CHECK_REQUIRED)
      return server.freshCheck(call, pendingOf(request, sent), details);
    if (!SHOWN_IN_FORM.includes(error.status)) throw error;
    return resend(
      {
        raw: sent.raw,
        problems: problemsOf(error, form.fields, { ...call, wordsFor: page.audience === 'merchant' ? refusalText : null }),
      },
      error.status,
      keyAfter(error, sent),
    );
  }
};

/** The same request: it has had no effect, so its idempotency key is still its own. */
const pendingOf = ({ browser }: PageRequest, { name, raw, idempotencyKey, owner }: SentForm): PendingForm => ({
  action: browser.path,
  fields: [
    ['sentForm', name],
    ['idempotencyKey', idempotencyKey],
    ...(owner === null ? [] : [['actingFor', owner] as const]),
    ...Object.entries(raw).flatMap(([field, values]) => values.map((value) => [field, value] as const)),
  ],
});

interface Again {
  page: Page;
  request: PageRequest;
  call: PageCall;
  server: PageServer;
}

/** A page that can only be sent says what was wrong on the page that its button is on. */
const showAgain = async ({ page, request, call, server }: Again, resent: Resent, status: number): Promise<PageResult> => {
  if (!page.view) {
    const flash = resent.state.problems.map(({ message }) => message).join('. ');
    return redirect(page.back?.(call) ?? '/', { flash, tone: 'bad' });
  }
  const shown = await show(page, request, server, resent);
  return shown.kind === undefined ? ({ ...shown, status } satisfies View) : shown;
};
