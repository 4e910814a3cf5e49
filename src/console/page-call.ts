import {
  type AnyInput,
  callOperation,
  mayCall,
  type OperationError,
  type OperationId,
  operationOf,
} from '../api/pipeline/call-operation.ts';
import { DISCONNECTED } from '../api/pipeline/errors.ts';
import { listUrl } from '../contracts/workflows/views.ts';
import type { Actor, Origin } from '../platform/context.ts';
import type { Runtime } from '../runtime.ts';
import { formatOf } from './format.ts';
import { type Audience, HOME, type PageCall } from './page.ts';
import type { ActingAs, BrowserRequest, EmbedSession, PersonSession } from './sessions.ts';
import { languageOf, localeIn, textsOf } from './texts/texts.ts';

/** An error of an operation that a page did not handle. */
export class OperationFailed extends Error {
  readonly status: number;
  readonly error: OperationError['error'];

  constructor({ status, error }: OperationError) {
    super(error.message);
    this.name = 'OperationFailed';
    this.status = status;
    this.error = error;
  }
}

export interface PageRequest {
  audience: Audience;
  person: PersonSession | null;
  embed?: EmbedSession | null;
  browser: BrowserRequest;
  requestId: string;
  acceptLanguage: string | undefined;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  /** Whether the browser has hung up: nobody waits for what is left to do. */
  isGone(): boolean;
}

/** What the person, or the embedded page, acts as on pages of this audience; null when they do not belong to it. */
export const actingAs = ({ audience, person, embed }: Pick<PageRequest, 'audience' | 'person' | 'embed'>): ActingAs | null => {
  if (audience === 'embed') return embed?.acting ?? null;
  if (!person || audience === 'public') return null;
  return audience === 'merchant' ? person.merchant : person.affiliate;
};

const ANONYMOUS: Actor = { kind: 'anonymous' };

export const actorOf = (request: Pick<PageRequest, 'audience' | 'person' | 'embed'>): Actor =>
  actingAs(request)?.actor ?? ANONYMOUS;

/** Affiliates are not traced by their address, nor by what their browser calls a request. */
const originOf = (request: PageRequest): Origin | undefined =>
  request.audience === 'affiliate' || request.audience === 'embed'
    ? undefined
    : { address: request.browser.address, requestId: request.requestId };

/** The pages of merchants are in English; their numbers and times are those of the person, who is in the zone of the company unless they say. */
export const languageAndFormat = (request: Omit<PageRequest, 'params' | 'query' | 'browser' | 'isGone'>) => {
  const { audience, person, acceptLanguage } = request;
  const companyZone = actingAs(request)?.timeZone ?? 'UTC';
  const locale = person?.locale ?? localeIn(acceptLanguage);
  const language = audience === 'merchant' ? 'en' : languageOf(locale);
  return { language, texts: textsOf(language), format: formatOf(locale, person?.timezone ?? companyZone, companyZone) };
};

const firstOf = (value: unknown): string => String(Array.isArray(value) ? value[0] : value);

/** `idempotencyKey` is that of the form that was sent; null for a page that is opened, which changes nothing. */
export const createPageCall = (
  runtime: Pick<Runtime, 'context' | 'config'>,
  request: PageRequest,
  { uses, idempotencyKey }: { uses: readonly OperationId[]; idempotencyKey: string | null },
): PageCall => {
  const { browser, requestId, params, query, person } = request;
  const { site } = browser;
  const known = actorOf(request);
  const actor: Actor = site && known.kind === 'anonymous' ? { ...known, site } : known;
  const by = { actor, origin: originOf(request), log: browser.log, requestId, runtime };

  let writes = 0;
  /** Sent again, a form makes the same writes in the same order. */
  const nextKey = (): string => {
    writes++;
    return writes === 1 ? `${idempotencyKey}` : `${idempotencyKey}-${writes}`;
  };

  const attempt = async (id: OperationId, input: AnyInput = {}) => {
    if (!uses.includes(id)) throw new Error(`The page ${browser.path} does not declare that it uses ${id}`);
    const isRead = operationOf(id).method === 'GET';
    if (!isRead && idempotencyKey === null) throw new Error(`Opening a page changes nothing: ${id} needs a form`);
    if (request.isGone()) throw DISCONNECTED;
    return callOperation(id, { ...input, idempotencyKey: isRead ? undefined : nextKey() } as never, by);
  };

  const call = {
    ...languageAndFormat(request),
    person,
    path: browser.path,
    accountUrl: site ? `${runtime.config.PUBLIC_URL.replace(/\/$/, '')}${HOME.affiliate}` : null,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, firstOf(value)])),
    request: browser,
    param(name: string): string {
      const value = params[name];
      if (value === undefined) throw new Error(`The path of this page has no ${name}`);
      return value;
    },
    attempt,
    async call(id: OperationId, input?: AnyInput) {
      const result = await attempt(id, input);
      if ('error' in result) throw new OperationFailed(result);
      return result;
    },
    allows: (id: OperationId) => mayCall(id, actor),
    workflowUrl(workflowId: string): string | null {
      const { TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace } = runtime.config;
      return ui === undefined ? null : `${listUrl(ui, namespace)}/${encodeURIComponent(workflowId)}`;
    },
  };
  return call as unknown as PageCall;
};
