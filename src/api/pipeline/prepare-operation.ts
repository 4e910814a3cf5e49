import { z } from 'zod';
import { FRESH_CHECK_MS, FRESH_CHECK_REQUIRED } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import { type Context, inTransaction, type PersonActor } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { errorText, statusOf, successText } from '../../platform/http/envelope.ts';
import type { Call, Feed, FreshCheck, Operation, Page, Prepared } from '../../platform/http/operation.ts';
import { type Check, checkBody, checkNoBody, checkParameters, responseWriter } from '../../platform/http/validate.ts';
import { whileClaimed } from '../../platform/idempotency/claim.ts';
import {
  findStoredResponse,
  isDecided,
  isLikelyStored,
  type RequestIdentity,
  requestIdentity,
  reserveIdempotencyKey,
  retryWhileLocked,
  type StoredResponse,
  storeResponse,
} from '../../platform/idempotency/idempotency.ts';

/** What a caller sends, as it was received. */
export interface Sent {
  params: unknown;
  query: unknown;
  body: unknown;
  idempotencyKey: string | undefined;
}

export interface CallOf {
  context(): Context;
  /** Identifies the caller's idempotency records; null for a caller that has none. */
  callerId: string | null;
  requestId: string;
}

export interface Response extends StoredResponse {
  /** It is the stored response of an earlier call with the same idempotency key. */
  isReplayed: boolean;
}

/** Validates, reserves the idempotency key, works in a transaction and writes the response. Who may call is checked before. */
export type RunOperation = (sent: Sent, by: CallOf) => Promise<Response>;

type AnyCall = Call<never, never, never> & Prepared<never>;
type Run = (call: AnyCall, requestId: string) => Promise<Ran>;

interface Ran extends Response {
  /** See `Operation`. */
  isPartial: boolean;
}

const none: Check = () => ({});
const checkNoQuery: Check = checkParameters(z.strictObject({}));

const prepared = new WeakMap<Operation, RunOperation>();

/** Compiles the schemas of an operation, once. */
export const prepareOperation = (op: Operation): RunOperation => {
  const found = prepared.get(op);
  if (found) return found;
  const run = compile(op);
  prepared.set(op, run);
  return run;
};

const compile = (op: Operation): RunOperation => {
  const params = op.params ? checkParameters(op.params) : none;
  const query = op.query ? checkParameters(op.query) : checkNoQuery;
  const body = op.body ? checkBody(op.body) : checkNoBody;
  const write = responseWriter(op.paged ? op.reply.array() : op.reply);

  const run: Run = async (call, requestId) => {
    const result = await op.handle(call);
    if (!op.paged) {
      const status = op.isExisting?.(result as never) ? 200 : op.status;
      const isPartial = op.isPartial?.(result as never) ?? false;
      return { status, body: successText(write(result), { requestId }), isReplayed: false, isPartial };
    }
    const { items, totalCapped, nextCursor, ...meta } = result as Feed<unknown> & Partial<Page<unknown>>;
    const pageMeta = { ...meta, ...(totalCapped ? { totalCapped } : {}), ...(nextCursor ? { nextCursor } : {}), requestId };
    return { status: op.status, body: successText(write(items), pageMeta), isReplayed: false, isPartial: false };
  };

  return (sent, { context, callerId, requestId }) => {
    const read = { params: params(sent.params), query: query(sent.query), body: body(sent.body) };
    const call = { ctx: context(), ...read, prepared: undefined } as AnyCall;
    const freshCheck = op.freshCheckFor(read.body as never);
    if (freshCheck) assertFresh(call.ctx, freshCheck);
    const identity = callerId === null ? null : identityOf(op, sent, callerId, read.params as Record<string, unknown>);
    if (isWrite(op)) faultPoint('api:before-claim');
    return identity ? runOnce({ op, call, identity, requestId, run }) : runDirectly(op, call, requestId, run);
  };
};

/** What the person has to do: whoever has a passkey uses it, and what only a passkey opens needs one. */
const neededBy = (rule: FreshCheck, { proof }: PersonActor): FreshCheck =>
  rule === 'passkey' || proof.hasPasskey ? 'passkey' : 'code';

/** FORBIDDEN for a person whose session has not proved within five minutes who they are. Keys cannot be asked. */
const assertFresh = ({ actor, clock }: Pick<Context, 'actor' | 'clock'>, rule: FreshCheck): void => {
  if (actor.kind !== 'person') return;
  const { passkeyAt, codeAt, hasPasskey } = actor.proof;
  const isRecent = (at: Date | null): boolean => at !== null && after(at, FRESH_CHECK_MS) > clock.now();
  const needs = neededBy(rule, actor);
  if (isRecent(passkeyAt) || (needs === 'code' && isRecent(codeAt))) return;
  throw new AppError('FORBIDDEN', 'A passkey or a new code is required within the last five minutes', {
    reason: FRESH_CHECK_REQUIRED,
    needs,
    hasPasskey,
  });
};

/**
 * Returns the value without the blanks around it; `trim` would remove more, such as no-break spaces. It reads a header of thousands of
 * blanks once, where a search for blanks at the end would start at each of them.
 */
const IDEMPOTENCY_KEY = /^[ \t]*(?:([\x21-\x7e]{1,255})[ \t]*)?$/;

const identityOf = (
  op: Operation,
  { idempotencyKey, query, body }: Sent,
  callerId: string,
  params: Record<string, unknown>,
): RequestIdentity | null => {
  if (op.method !== 'POST') return null;
  const given = IDEMPOTENCY_KEY.exec(idempotencyKey ?? '');
  if (!given) {
    throw new AppError('BAD_REQUEST', 'The Idempotency-Key must be 1 to 255 visible ASCII characters', {
      issues: [{ path: 'Idempotency-Key', code: 'invalid', message: 'must be 1 to 255 visible ASCII characters' }],
    });
  }
  const [, key] = given;
  if (key === undefined) return null;
  // The path as declared and the request as it was sent: neither an escape in the URL nor a new default changes the identity.
  const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  return requestIdentity({ callerId, method: op.method, path, key, query, body: body ?? {} });
};

export const isWrite = (op: Operation): boolean => op.method !== 'GET' || op.audited;

const runDirectly = async (op: Operation, given: AnyCall, requestId: string, run: Run): Promise<Response> => {
  const call = await prepare(op, given);
  if (!isWrite(op)) return run(call, requestId);
  return inTransaction(call.ctx, (ctx) => run({ ...call, ctx }, requestId));
};

const prepare = async (op: Operation, call: AnyCall): Promise<AnyCall> =>
  op.prepare ? { ...call, prepared: (await op.prepare(call)) as never } : call;

interface IdempotentRun {
  op: Operation;
  call: AnyCall;
  identity: RequestIdentity;
  requestId: string;
  run: Run;
}

const runOnce = async (given: IdempotentRun): Promise<Response> => {
  const { op, call, identity } = given;
  const stored = (op.prepare || isLikelyStored(identity)) && (await findStoredResponse(call.ctx, identity));
  if (stored) return replayed(stored);
  if (op.commits) {
    const work = async (ctx: Context) => respond(ctx, given, await prepare(op, call).catch(decidedOrThrow));
    return whileClaimed<Response>(call.ctx, { identity, work, stored: replayed });
  }
  const prepared = await prepare(op, call).catch(decidedOrThrow);
  return retryWhileLocked(() =>
    inTransaction(call.ctx, async (ctx) => {
      const reserved = await reserveIdempotencyKey(ctx, identity);
      if (reserved === 'busy') return reserved;
      if (reserved !== 'reserved') return replayed(reserved);
      return respond(ctx, given, prepared);
    }),
  );
};

/** Work and record are one transaction. A decided error rolls back the work and is recorded as the response. */
const respond = async (ctx: Context, of: IdempotentRun, call: AnyCall | AppError): Promise<Response> => {
  const response = await errorAsResponse(ctx, of.requestId, async (inner) => {
    if (call instanceof AppError) throw call;
    return of.run({ ...call, ctx: inner }, of.requestId);
  });
  if (!response.isPartial) await storeResponse(ctx, of.identity, response, of.op.secret);
  return response;
};

const decidedOrThrow = (error: unknown): AppError => {
  if (!isDecided(error)) throw error;
  return error;
};

const replayed = ({ status, body }: StoredResponse): Response => ({ status, body, isReplayed: true });

/** The nested `transactional` is a savepoint: a decided error rolls back what the use case wrote and keeps the reservation. */
const errorAsResponse = async (ctx: Context, requestId: string, work: (ctx: Context) => Promise<Ran>): Promise<Ran> => {
  try {
    return await ctx.em.transactional((em) => work({ ...ctx, em: em as Context['em'] }));
  } catch (error) {
    if (!isDecided(error)) throw error;
    ctx.broadcasts.length = 0;
    return { status: statusOf(error), body: errorText(error, requestId), isReplayed: false, isPartial: false };
  }
};
