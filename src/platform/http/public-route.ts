import type { z } from 'zod';
import type { ErrorCode } from '../../contracts/error-codes.ts';
import type { Context } from '../context.ts';
import type { IncomingHeaders } from '../crypto/standard-webhooks.ts';
import type { Browser } from './browser.ts';

/** Groups of routes that share a limit: 120 requests a minute per address in each. */
export const PUBLIC_LIMITERS = ['tracking', 'script'] as const;
export type PublicLimiter = (typeof PUBLIC_LIMITERS)[number];

/** What is known about a caller without a key. */
export interface Visit extends Browser {
  method: string;
  /** The page that the request comes from: its `Origin`, or else its `Referer`; null without a web page. */
  host: string | null;
  referer: string | null;
  /** A browser sent it for a page: servers do not send `Sec-Fetch-Site`. Unknown, and false, without https. */
  isFromPage: boolean;
  /** The browser only prepares for a visit that may never happen. */
  isPrefetch: boolean;
  /** The query as it was sent, for routes that pass it on. */
  query: string;
}

type Shape = z.ZodType;
type Out<S> = S extends Shape ? z.output<S> : undefined;

export interface PublicCall<P, Q, B> {
  ctx: Context;
  params: Out<P>;
  query: Out<Q>;
  body: Out<B>;
  visit: Visit;
  /** A server signed it: the visit is that of the visitor whom it speaks of. */
  isSigned: boolean;
}

/** How a server signs a call, so that it is not taken for the visitors whom it speaks of. It is not limited by address. */
export interface SignedCalls {
  /** Throws UNAUTHORIZED or NOT_FOUND unless it is signed. Returns who signed it: each has a share of what may be in flight. */
  verify(
    ctx: Context,
    message: { signer: string; headers: IncomingHeaders; rawBody: Buffer; isSuspect: boolean },
  ): Promise<string>;
  /** Whose secret signs, as the body says before it is checked. */
  signerOf(body: unknown): string;
  /** Address and browser of the visitor, as the checked body says. */
  visitorOf(body: unknown): Partial<Browser>;
}

/** `json` is wrapped as `{data, meta}`. `text` with an `etag` is answered with 304 when the caller has it. */
export type PublicReply =
  | { kind: 'json'; data: unknown }
  | { kind: 'redirect'; url: string }
  | { kind: 'text'; status: 200 | 404; contentType: string; text: string; etag?: string };

/** `any`: pages of every origin may read the response. Else preflights are answered for the origins that a query allows. */
export type Cors = 'none' | 'any' | { allows(ctx: Context, host: string): Promise<boolean> };

interface PublicResponse {
  description: string;
  /** Schema and example of `data` in a JSON response; without them, the content is text of this type. */
  schema?: z.ZodType;
  example?: unknown;
  contentType?: string;
}

interface Declaration<P, Q, B> {
  id: string;
  method: 'GET' | 'POST';
  path: `/${string}`;
  tag: string;
  summary: string;
  description: string;
  params?: P;
  /** The last parameter is all that follows in the path, slashes too. */
  takesRest?: boolean;
  /** Left out: any query is accepted. */
  query?: Q;
  /** What is sent for a query that is not valid, in place of an error. */
  unreadable?: PublicReply;
  body?: B;
  signed?: SignedCalls;
  limiter: PublicLimiter;
  cors: Cors;
  /** `Cache-Control` of responses that are not errors. */
  cache: string;
  errors: readonly ErrorCode[];
  /** By status, for the documents. */
  responses: Readonly<Partial<Record<200 | 302 | 304 | 404, PublicResponse>>>;
  exampleBody?: unknown;
  /** Headers that a server sends in place of a browser, for the documents. Samples send those with an example. */
  headers?: z.ZodObject;
}

/** A route outside /api/v1 that browsers call without a key. */
export interface PublicRoute extends Declaration<Shape | undefined, Shape | undefined, Shape | undefined> {
  handle(call: PublicCall<never, never, never>): Promise<PublicReply>;
}

/** Declares one public route. Routing, validation, limits, CORS, caching and the documents are derived from it. */
export const publicRoute = <
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  declared: Declaration<P, Q, B> & { handle(call: PublicCall<P, Q, B>): Promise<PublicReply> },
): PublicRoute => ({ ...declared, handle: declared.handle as PublicRoute['handle'] });
