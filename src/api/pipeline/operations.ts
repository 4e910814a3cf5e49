import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { inTransaction } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { errorText, JSON_TYPE, statusOf, successText } from '../../platform/http/envelope.ts';
import type { Call, Feed, Operation, Page, Prepared } from '../../platform/http/operation.ts';
import { type Check, checkBody, checkNoBody, checkParameters, responseWriter } from '../../platform/http/validate.ts';
import {
  claimIdempotencyKey,
  findStoredResponse,
  isDecided,
  isLikelyStored,
  type RequestIdentity,
  requestIdentity,
  retryWhileLocked,
  type StoredResponse,
  storeResponse,
} from '../../platform/idempotency/idempotency.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    /** The body is a file that is received as a stream, within limits of its own. */
    isTransfer?: boolean;
    /** Rejects a request by its head, before its body is received. */
    admit?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  }
}

type AnyCall = Call<never, never, never> & Prepared<never>;

export const API_PREFIX = '/api/v1';

/** `{id}` of OpenAPI is `:id` of the router. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const none: Check = () => ({});

export const mountOperation = (app: FastifyInstance, op: Operation, contextOf: (request: FastifyRequest) => Context): void => {
  const params = op.params ? checkParameters(op.params) : none;
  const query = op.query ? checkParameters(op.query) : checkNoQuery;
  const body = op.body ? checkBody(op.body) : checkNoBody;
  const write = responseWriter(op.paged ? op.reply.array() : op.reply);

  const run: Run = async (call, requestId) => {
    const result = await op.handle(call);
    if (!op.paged)
      return { status: op.isExisting?.(result as never) ? 200 : op.status, body: successText(write(result), { requestId }) };
    const { items, totalCapped, nextCursor, ...meta } = result as Feed<unknown> & Partial<Page<unknown>>;
    const pageMeta = { ...meta, ...(totalCapped ? { totalCapped } : {}), ...(nextCursor ? { nextCursor } : {}), requestId };
    return { status: op.status, body: successText(write(items), pageMeta) };
  };

  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = {
      params: params(request.params),
      query: query(request.query),
      body: body(request.body),
    };
    const call = { ctx: contextOf(request), ...read, prepared: undefined } as AnyCall;
    const identity = identityOf(op, request, read.params as Record<string, unknown>);
    if (isWrite(op)) faultPoint('api:before-claim');
    const response = identity
      ? await runOnce({ op, call, identity, requestId: request.id, reply, run })
      : await runDirectly(op, call, request.id, run);
    if (isWrite(op)) passFaultPoints(reply, response);
    return reply.code(response.status).header('content-type', JSON_TYPE).send(response.body);
  };

  app.route({
    method: op.method,
    url: API_PREFIX + routerPath(op.path),
    // A HEAD shows nothing that could be recorded.
    exposeHeadRoute: !op.audited,
    config: { operation: op },
    handler: respond,
  });
};

/** After the commit, the caller may receive no response, or half of it. */
const passFaultPoints = (reply: FastifyReply, { status, body }: StoredResponse): void => {
  faultPoint('api:after-commit');
  faultPoint('api:during-reply', () => {
    reply.raw.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
    reply.raw.write(body.slice(0, body.length / 2));
  });
};

const checkNoQuery: Check = checkParameters(z.strictObject({}));

/**
 * Without the blanks around the value; `trim` would take more, such as no-break spaces. Reads a header of thousands of blanks once,
 * where a search for blanks at the end would start at each of them.
 */
const IDEMPOTENCY_KEY = /^[ \t]*(?:([\x21-\x7e]{1,255})[ \t]*)?$/;

const identityOf = (op: Operation, request: FastifyRequest, params: Record<string, unknown>): RequestIdentity | null => {
  const header = request.headers['idempotency-key'];
  if (op.method !== 'POST' || !request.caller) return null;
  const given = IDEMPOTENCY_KEY.exec(Array.isArray(header) ? header.join(',') : (header ?? ''));
  if (!given) {
    throw new AppError('BAD_REQUEST', 'The Idempotency-Key must be 1 to 255 visible ASCII characters', {
      issues: [{ path: 'Idempotency-Key', code: 'invalid', message: 'must be 1 to 255 visible ASCII characters' }],
    });
  }
  const [, key] = given;
  if (key === undefined) return null;
  // The path as declared and the request as it was sent: neither an escape in the URL nor a new default changes the identity.
  const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  const { keyId } = request.caller;
  return requestIdentity({ keyId, method: op.method, path, key, query: request.query, body: request.body ?? {} });
};

type Run = (call: AnyCall, requestId: string) => Promise<StoredResponse>;

const isWrite = (op: Operation): boolean => op.method !== 'GET' || op.audited;

const runDirectly = async (op: Operation, given: AnyCall, requestId: string, run: Run): Promise<StoredResponse> => {
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
  reply: FastifyReply;
  run: Run;
}

/** Claim, work and record are one transaction. A decided error rolls back the work and is recorded as the response. */
const runOnce = async ({ op, call: given, identity, requestId, reply, run }: IdempotentRun): Promise<StoredResponse> => {
  const stored = (op.prepare || isLikelyStored(identity)) && (await findStoredResponse(given.ctx, identity));
  if (stored) return replayed(reply, stored);
  const call = await prepare(op, given).catch(decidedOrThrow);
  return retryWhileLocked(() =>
    inTransaction(given.ctx, async (ctx) => {
      const claim = await claimIdempotencyKey(ctx, identity);
      if (claim === 'busy') return claim;
      if (claim !== 'claimed') return replayed(reply, claim);
      const response = await errorAsResponse(ctx, requestId, async (inner) => {
        if (call instanceof AppError) throw call;
        return run({ ...call, ctx: inner }, requestId);
      });
      await storeResponse(ctx, identity, response, op.secret);
      return response;
    }),
  );
};

const decidedOrThrow = (error: unknown): AppError => {
  if (!isDecided(error)) throw error;
  return error;
};

const replayed = (reply: FastifyReply, response: StoredResponse): StoredResponse => {
  reply.header('idempotency-replayed', 'true');
  return response;
};

/** The nested `transactional` is a savepoint: a decided error rolls back what the use case wrote and keeps the claim. */
const errorAsResponse = async (
  ctx: Context,
  requestId: string,
  work: (ctx: Context) => Promise<StoredResponse>,
): Promise<StoredResponse> => {
  try {
    return await ctx.em.transactional((em) => work({ ...ctx, em: em as Context['em'] }));
  } catch (error) {
    if (!isDecided(error)) throw error;
    ctx.broadcasts.length = 0;
    return { status: statusOf(error), body: errorText(error, requestId) };
  }
};
