import type { z } from 'zod';
import type { ErrorCode, Reason } from '../../contracts/error-codes.ts';
import type { KeyType, Scope } from '../../contracts/scopes.ts';
import type { Context } from '../context.ts';
import { invariant } from '../errors.ts';

/**
 * Who may call. `scope` is one scope for all accepted key types, one per type, or `any` for every valid key. `embed`: also the pages
 * inside an app of a merchant, and people under the domain of a program; `domain`: the latter only. For both, the operation shows and
 * changes nothing of other merchants.
 * There is no default: an operation without an access rule does not compile.
 */
export type Access =
  | 'public'
  | {
      keys: readonly [KeyType, ...KeyType[]];
      scope: Scope | 'any' | Readonly<Partial<Record<KeyType, Scope>>>;
      embed?: true;
      domain?: true;
    };

/**
 * What a person has to have done within five minutes: used a passkey, or entered a new mailed code, which suffices for those without
 * a passkey.
 */
export type FreshCheck = 'passkey' | 'code';

type Shape = z.ZodType;
type Out<S> = S extends Shape ? z.output<S> : undefined;

export interface Call<P, Q, B> {
  ctx: Context;
  params: Out<P>;
  query: Out<Q>;
  body: Out<B>;
}

/** A page of a list, with the fields of `meta`. */
export interface Page<T> {
  items: T[];
  total: number;
  totalCapped: boolean;
  page: number;
  pageSize: number;
  hasMore: boolean;
  nextCursor: string | null;
}

/** A part of a list that is read on and on: what is new comes after its end. */
export interface Feed<T> {
  items: T[];
  hasMore: boolean;
  /** Where to continue; null if there is nothing to continue from. */
  nextCursor: string | null;
}

interface Declaration<Id extends string, P, Q, B, R extends Shape> {
  id: Id;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1, parameters as `{id}`. */
  path: `/${string}`;
  tag: string;
  /** The title: short, without a full stop. */
  summary: string;
  /** Sentences below the title. */
  description?: string;
  access: Access;
  /** Asked of people only; a function for operations that need it for some requests. */
  freshCheck?: FreshCheck | ((body: Out<B>) => FreshCheck | null);
  params?: P;
  query?: Q;
  body?: B;
  /** Schema of `data`, or of one item when `paged`. */
  reply: R;
  status?: 200 | 201;
  /** For an operation that returns 201: whether the response is about an object that existed before, and is 200. */
  isExisting?: (data: z.output<R>) => boolean;
  /** Whether work is left, which the same request continues, even with the same idempotency key: the response is not stored. */
  isPartial?: (data: z.output<R>) => boolean;
  /** Error codes in addition to those that follow from access, parameters and body. */
  errors?: readonly ErrorCode[];
  reasons?: readonly Reason[];
  /** The response contains a secret: the stored response is encrypted. */
  secret?: boolean;
  /** A GET that leaves a record of each call: it runs in a transaction, and the response is sent after the commit. */
  audited?: boolean;
  /** Takes rights away, or is on the way to it: no request of another caller of the same owner keeps it waiting. */
  urgent?: boolean;
  example: { data: z.input<R> | readonly z.input<R>[]; body?: unknown };
}

/** What `prepare` returned. */
export interface Prepared<T> {
  prepared: T;
}

interface SingleHandler<P, Q, B, R extends Shape, T> {
  paged?: false;
  /**
   * Network calls, outside any transaction; runs before `handle`, which is given its result. Not called when the response is
   * a stored one. Runs again when a request is repeated after a crash: what it does must be safe to repeat.
   */
  prepare?(call: Call<P, Q, B>): Promise<T>;
  /** `prepare` has effects: the idempotency key is claimed before it, so that what is refused has done nothing. */
  commits?: true;
  /** Writes run inside one transaction that also holds the idempotency record. */
  handle(call: Call<P, Q, B> & Prepared<T>): Promise<z.input<R>>;
}

interface PagedHandler<P, Q, B, R extends Shape> {
  paged: true;
  prepare?: undefined;
  commits?: undefined;
  handle(call: Call<P, Q, B>): Promise<Page<z.input<R>>>;
}

interface FeedHandler<P, Q, B, R extends Shape> {
  paged: 'feed';
  prepare?: undefined;
  commits?: undefined;
  handle(call: Call<P, Q, B>): Promise<Feed<z.input<R>>>;
}

/** An operation without its type parameters, for the server, the documents and the tests. */
export interface Operation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/${string}`;
  tag: string;
  summary: string;
  description: string | undefined;
  access: Access;
  freshCheckFor(body: never): FreshCheck | null;
  params: Shape | undefined;
  query: Shape | undefined;
  body: Shape | undefined;
  reply: Shape;
  status: 200 | 201;
  isExisting: ((data: never) => boolean) | undefined;
  isPartial: ((data: never) => boolean) | undefined;
  errors: readonly ErrorCode[];
  reasons: readonly Reason[];
  secret: boolean;
  audited: boolean;
  urgent: boolean;
  /** `feed`: the cursor goes on after the last page. */
  paged: boolean | 'feed';
  example: { data: unknown; body?: unknown };
  prepare: ((call: Call<never, never, never>) => Promise<unknown>) | undefined;
  commits: boolean;
  handle(call: Call<never, never, never> & Prepared<never>): Promise<unknown>;
}

type In<S> = S extends Shape ? z.input<S> : undefined;
type MetaOf<Paged> = { requestId: string } & (Paged extends true
  ? Omit<Page<never>, 'items' | 'totalCapped' | 'nextCursor'> & { totalCapped?: true; nextCursor?: string }
  : Paged extends 'feed'
    ? { hasMore: boolean; nextCursor?: string }
    : unknown);

/** An operation with its types, for callers in this process: what they send, and what the response holds as JSON. */
export interface TypedOperation<Id extends string, P, Q, B, R extends Shape, Paged> extends Operation {
  id: Id;
  /** Never there: it carries the types. */
  types?: {
    params: In<P>;
    query: In<Q>;
    body: In<B>;
    data: Paged extends true | 'feed' ? z.output<R>[] : z.output<R>;
    meta: MetaOf<Paged>;
  };
}

type Optional = Shape | undefined;

/** Declares one operation. Routing, validation, OpenAPI, the docs page and the access tests are derived from it. */
interface Declare {
  <
    const I extends string,
    R extends Shape,
    P extends Optional = undefined,
    Q extends Optional = undefined,
    B extends Optional = undefined,
    T = undefined,
  >(
    declared: Declaration<I, P, Q, B, R> & SingleHandler<P, Q, B, R, T>,
  ): TypedOperation<I, P, Q, B, R, false>;
  <const I extends string, R extends Shape, P extends Optional = undefined, Q extends Optional = undefined>(
    declared: Declaration<I, P, Q, undefined, R> & PagedHandler<P, Q, undefined, R>,
  ): TypedOperation<I, P, Q, undefined, R, true>;
  <const I extends string, R extends Shape, P extends Optional = undefined, Q extends Optional = undefined>(
    declared: Declaration<I, P, Q, undefined, R> & FeedHandler<P, Q, undefined, R>,
  ): TypedOperation<I, P, Q, undefined, R, 'feed'>;
}

type AnyDeclaration = Declaration<string, Optional, Optional, Optional, Shape> &
  Pick<Operation, 'handle'> &
  Partial<Pick<Operation, 'prepare' | 'commits' | 'paged'>>;

const declare = (declared: AnyDeclaration): Operation => ({
  ...declared,
  description: declared.description,
  access: checked(declared.access),
  freshCheckFor: freshCheckOf(declared.freshCheck),
  params: declared.params,
  query: declared.query,
  body: declared.body,
  status: declared.status ?? 200,
  isExisting: declared.isExisting as Operation['isExisting'],
  isPartial: declared.isPartial as Operation['isPartial'],
  errors: declared.errors ?? [],
  reasons: declared.reasons ?? [],
  secret: declared.secret ?? false,
  audited: declared.audited ?? false,
  urgent: declared.urgent ?? false,
  paged: declared.paged ?? false,
  prepare: declared.prepare,
  commits: declared.commits ?? false,
  handle: declared.handle,
});
const freshCheckOf =
  (declared: AnyDeclaration['freshCheck']): Operation['freshCheckFor'] =>
  (body) =>
    typeof declared === 'function' ? declared(body) : (declared ?? null);
// The overloads add types only.
export const operation = declare as Declare;

/** Without this, a key type with no scope would be accepted with any scopes. */
const checked = (access: Access): Access => {
  if (access === 'public' || typeof access.scope === 'string') return access;
  const { scope, keys } = access;
  invariant(
    keys.every((key) => scope[key] !== undefined),
    'each accepted key type needs a scope',
  );
  return access;
};

/** The scope that a key of this type needs; null when any valid key is accepted. */
export const scopeFor = (access: Exclude<Access, 'public'>, keyType: KeyType): Scope | null => {
  if (access.scope === 'any') return null;
  return typeof access.scope === 'string' ? access.scope : (access.scope[keyType] ?? null);
};
