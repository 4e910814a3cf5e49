import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { mayCall } from '../../src/api/pipeline/call-operation.ts';
import { consoleOf } from '../../src/console/mount-console.ts';
import type { Page } from '../../src/console/page.ts';
import { actingAs, actorOf } from '../../src/console/page-call.ts';
import type { ActingAs, PersonSession, Sessions } from '../../src/console/sessions.ts';
import { tokenEmbeds } from '../../src/console/sign-in/program-pages.ts';
import { SCOPES_OF, type Scope } from '../../src/contracts/scopes.ts';
import { anyAddress, type TestApi, type TestEnvironment, useOwnApi } from './api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from './factories.ts';

/** Script text in many forms, for every field that a person can fill. */
export const SCRIPT_TEXT = `</textarea></title><script>document.title='owned'</script>"'><img src=x onerror="document.title='owned'">\${7*7}javascript:alert(1)`;

/** Sessions by their cookie: who is signed in is decided by the test. */
export class TestSessions implements Sessions {
  readonly #byToken = new Map<string, PersonSession>();

  async read(request: Parameters<Sessions['read']>[0]): Promise<PersonSession | null> {
    return this.#byToken.get(request.cookie('session') ?? '') ?? null;
  }

  /** Returns the cookie of a new session. */
  open(person: Partial<PersonSession>): string {
    const token = randomUUID();
    this.#byToken.set(token, {
      personId: randomUUID(),
      sessionId: randomUUID(),
      name: 'Ada Test',
      locale: 'en-US',
      timezone: 'UTC',
      merchant: null,
      affiliate: null,
      ...person,
    });
    return token;
  }

  end(token: string): void {
    this.#byToken.delete(token);
  }

  of(token: string): PersonSession {
    const found = this.#byToken.get(token);
    if (!found) throw new Error('no such session');
    return found;
  }
}

export interface PageOptions {
  session?: string | undefined;
  headers?: Record<string, string>;
  cookies?: Record<string, string>;
  from?: string;
}

export interface PageResponse {
  status: number;
  html: string;
  headers: LightMyRequestResponse['headers'];
  location: string | undefined;
  /** Cookies that were set, by their name without the prefix. */
  cookies: Record<string, string>;
}

export interface TestConsole {
  api: TestApi;
  sessions: TestSessions;
  get(path: string, options?: PageOptions): Promise<PageResponse>;
  /** Posts like a browser that sends a form of a page of this origin. */
  post(path: string, fields: Record<string, string | string[]>, options?: PageOptions): Promise<PageResponse>;
}

const COOKIE = /^tributary_(\w+)_\d+$/;

const toPageResponse = (response: LightMyRequestResponse): PageResponse => ({
  status: response.statusCode,
  html: response.body,
  headers: response.headers,
  location: response.headers.location,
  cookies: Object.fromEntries(response.cookies.map(({ name, value }) => [COOKIE.exec(name)?.[1] ?? name, value])),
});

const bodyOf = (fields: Record<string, string | string[]>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as [string, string])),
  ).toString();

/** An API with pages, called in process. Public URL: http://localhost:3000. */
export const useConsole = (pages: readonly Page[], more: TestEnvironment = {}): TestConsole => {
  const sessions = new TestSessions();
  const mounts = [consoleOf({ pages, sessions: () => sessions, embeds: tokenEmbeds })];
  const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000', ...more }, { mounts });
  const headersOf = ({ session, cookies = {}, headers }: PageOptions) => {
    const sent = { ...(session === undefined ? {} : { session }), ...cookies };
    const pairs = Object.entries(sent).map(([name, value]) => `tributary_${name}_3000=${value}`);
    return { host: 'localhost:3000', ...(pairs.length > 0 ? { cookie: pairs.join('; ') } : {}), ...headers };
  };
  return {
    api,
    sessions,
    async get(url, options = {}) {
      const from = options.from ?? anyAddress();
      return toPageResponse(await api.app.inject({ method: 'GET', url, remoteAddress: from, headers: headersOf(options) }));
    },
    async post(url, fields, options = {}) {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: 'http://localhost:3000',
        ...headersOf(options),
      };
      const remoteAddress = options.from ?? anyAddress();
      return toPageResponse(await api.app.inject({ method: 'POST', url, remoteAddress, headers, payload: bodyOf(fields) }));
    },
  };
};

/** Acting for a merchant, with a key of it and these scopes. The actor is a key, which has the rights of a person. */
export const actingFor = (
  { merchantId, keyId }: { merchantId: string; keyId: string },
  scopes: readonly Scope[] = SCOPES_OF.merchant,
): ActingAs => ({
  actor: { kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes },
  ownerId: merchantId,
  name: 'Acme Inc.',
  perMinute: 1_000,
});

/** A new merchant for whom a session acts, with these scopes. */
export const makeMerchantActing = async (
  { api }: Pick<TestConsole, 'api'>,
  scopes: readonly Scope[] = SCOPES_OF.merchant,
): Promise<ActingAs & { key: string }> => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: [...scopes] });
  return { ...actingFor({ merchantId, keyId }, scopes), key };
};

export const makeAffiliateActing = async ({ api }: Pick<TestConsole, 'api'>): Promise<ActingAs> => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { keyId } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const actor = { kind: 'key', keyId, keyType: 'affiliate', ownerId: profileId, scopes: SCOPES_OF.affiliate } as const;
  return { actor, ownerId: profileId, name: 'Ada Test', perMinute: 1_000 };
};

const INPUT = /<input type="hidden" name="(\w+)" value="([^"]*)">/g;

/** Hidden fields of the forms of a page, such as the idempotency key; those of the last form with a name win. */
export const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries([...html.matchAll(INPUT)].map(([, name = '', value = '']) => [name, value]));

export const idempotencyKeyIn = (html: string): string => hiddenFields(html)['idempotencyKey'] ?? '';

/** A tag with an attribute whose name begins so; text in quotes is none. */
const tagWith = (name: string): RegExp => new RegExp(`<[a-z]+(?:\\s+[\\w:-]+(?:="[^"]*")?)*\\s+${name}=`);
const [INLINE_STYLE, EVENT_HANDLER] = [tagWith('style'), tagWith('on[a-z]+')];

/** What is wrong with the text of any page. */
export const pageProblems = (html: string): string[] => [
  ...(/\[object \w+\]|\bundefined\b|\bNaN\b/.test(html) ? ['prints a value that is no text'] : []),
  ...(/<script(?![^>]*\ssrc=)/.test(html) ? ['has an inline script'] : []),
  ...(/<style/.test(html) || INLINE_STYLE.test(html) ? ['has an inline style'] : []),
  ...(EVENT_HANDLER.test(html) ? ['has an event handler'] : []),
  ...(/^<!doctype html><html lang="[a-z]{2}">.*<main .*<\/html>$/s.test(html) ? [] : ['is no whole page']),
  ...((html.match(/<h1[ >]/g) ?? []).length === 1 ? [] : ['has not one heading']),
];

interface Visitor {
  name: string;
  /** Session of one person, or of another one for each page: people can open a limited number of pages. */
  session: string | undefined | (() => string);
}

const mayOpen = (page: Page, person: PersonSession | null, uses = page.uses): boolean =>
  page.audience === 'public' ||
  (actingAs({ audience: page.audience, person }) !== null &&
    uses.every((id) => mayCall(id, actorOf({ audience: page.audience, person }))));

/** Opens every page and sends every form as every visitor, and compares with the access rules of the operations. No session opens an embedded page. */
export const accessProblems = async (
  of: TestConsole,
  pages: readonly Page[],
  visitors: readonly Visitor[],
): Promise<string[]> => {
  const problems: string[] = [];
  for (const page of pages) {
    const url = page.path.replaceAll(/\{\w+\}/g, () => randomUUID());
    for (const { name, session: given } of visitors) {
      const session = typeof given === 'function' ? given() : given;
      const person = session === undefined ? null : of.sessions.of(session);
      const isSignedOut = page.audience !== 'public' && page.audience !== 'embed' && !person;
      const check = ({ status, html, location }: PageResponse, what: string, isAllowed: boolean): void => {
        const report = (problem: string) => problems.push(`${what} ${page.path} as ${name}: ${problem}`);
        if (isSignedOut) {
          if (status !== 303 || !location?.startsWith('/sign-in?next=')) report(`${status} instead of the sign-in`);
          return;
        }
        const isRefused = status === 401 || status === 403;
        if (isRefused === isAllowed || status >= 500) report(`${status}, allowed: ${isAllowed}`);
        if (status !== 303) for (const problem of pageProblems(html)) report(problem);
      };
      if (page.view) check(await of.get(url, { session }), 'GET', mayOpen(page, person));
      for (const [form, { uses }] of Object.entries(page.forms)) {
        const response = await of.post(url, { sentForm: form }, { session });
        check(response, `POST ${form} of`, mayOpen(page, person, [...page.uses, ...uses]));
      }
    }
  }
  return problems;
};
