import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { inTransaction } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { errorText, JSON_TYPE, statusOf, successText } from '../../platform/http/envelope.ts';
import type { Call, Operation, Page } from '../../platform/http/operation.ts';
import { type Check, checkBody, checkNoBody, checkParameters, responseWriter } from '../../platform/http/validate.ts';
import {
  claimIdempotencyKey,
  findStoredResponse,
  type IdempotentRequest,
  retryWhileLocked,
  type StoredResponse,
  storeResponse,
} from '../../platform/idempotency/idempotency.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

type AnyCall = Call<never, never, never>;

export const API_PREFIX = '/api/v1';

/** `{id}` of the documents is `:id` of the router. */
const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const none: Check = () => ({});

export const mountOperation = (app: FastifyInstance, op: Operation, contextOf: (request: FastifyRequest) => Context): void => {
  const params = op.params ? checkParameters(op.params) : none;
  const query = op.query ? checkParameters(op.query) : refuseQuery;
  const body = op.body ? checkBody(op.body) : checkNoBody;
  const write = responseWriter(op.paged ? op.reply.array() : op.reply);

  const answerOf = async (call: AnyCall, requestId: string): Promise<StoredResponse> => {
    const result = await op.handle(call);
    if (!op.paged) return { status: op.status, body: successText(write(result), { requestId }) };
    const { items, totalCapped, nextCursor, ...meta } = result as Page<unknown>;
    const told = { ...meta, ...(totalCapped ? { totalCapped } : {}), ...(nextCursor ? { nextCursor } : {}), requestId };
    return { status: op.status, body: successText(write(items), told) };
  };

  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = {
      params: params(request.params),
      query: query(request.query),
      body: body(request.body),
    };
    const call = { ctx: contextOf(request), ...read } as AnyCall;
    const idempotent = identityOf(op, request, read.params as Record<string, unknown>);
    if (isWrite(op)) faultPoint('api:before-claim');
    const answer = idempotent
      ? await answerOnce({ op, call, identity: idempotent, requestId: request.id, reply, answerOf })
      : await answerPlainly(op, call, request.id, answerOf);
    if (isWrite(op)) passFaultPoints(reply, answer);
    return reply.code(answer.status).header('content-type', JSON_TYPE).send(answer.body);
  };

  app.route({
    method: op.method,
    url: API_PREFIX + routerPath(op.path),
    config: { operation: op },
    handler: respond,
  });
};

/** A caller may see nothing of an answer, or half of it, although its work is done. */
const passFaultPoints = (reply: FastifyReply, { status, body }: StoredResponse): void => {
  faultPoint('api:after-commit');
  faultPoint('api:during-reply', () => {
    reply.raw.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
    reply.raw.write(body.slice(0, body.length / 2));
  });
};

const refuseQuery: Check = (value) => {
  const [first] = Object.keys((value ?? {}) as object);
  if (first === undefined) return {};
  throw new AppError('BAD_REQUEST', 'This operation takes no query parameters', {
    issues: [{ path: first.slice(0, 200), code: 'unrecognized_keys', message: 'unknown parameter' }],
  });
};

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

const identityOf = (op: Operation, request: FastifyRequest, params: Record<string, unknown>): IdempotentRequest | null => {
  const header = request.headers['idempotency-key'];
  if (op.method !== 'POST' || !request.caller) return null;
  const key = (Array.isArray(header) ? header.join(',') : (header ?? '')).trim();
  if (key === '') return null;
  if (!VISIBLE_ASCII.test(key)) {
    throw new AppError('BAD_REQUEST', 'The Idempotency-Key must be 1 to 255 visible ASCII characters', {
      issues: [{ path: 'Idempotency-Key', code: 'invalid', message: 'must be 1 to 255 visible ASCII characters' }],
    });
  }
  // The path as the table spells it and the request as it was sent: neither an escape nor a new default makes another.
  const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  return { keyId: request.caller.keyId, method: op.method, path, key, query: request.query, body: request.body ?? {} };
};

type AnswerOf = (call: AnyCall, requestId: string) => Promise<StoredResponse>;

const isWrite = (op: Operation): boolean => op.method !== 'GET';

const answerPlainly = async (op: Operation, call: AnyCall, requestId: string, answerOf: AnswerOf): Promise<StoredResponse> => {
  await op.prepare?.(call);
  if (!isWrite(op)) return answerOf(call, requestId);
  return inTransaction(call.ctx, (ctx) => answerOf({ ...call, ctx }, requestId));
};

interface OnceOnly {
  op: Operation;
  call: AnyCall;
  identity: IdempotentRequest;
  requestId: string;
  reply: FastifyReply;
  answerOf: AnswerOf;
}

/** Claim, work and record are one transaction; a refusal undoes the work and keeps the record. */
const answerOnce = async ({ op, call, identity, requestId, reply, answerOf }: OnceOnly): Promise<StoredResponse> => {
  if (op.prepare) {
    const known = await findStoredResponse(call.ctx, identity);
    if (known) return replayed(reply, known);
    await op.prepare(call);
  }
  return retryWhileLocked(() =>
    inTransaction(call.ctx, async (ctx) => {
      const held = await claimIdempotencyKey(ctx, identity);
      if (held === 'busy') return held;
      if (held !== 'claimed') return replayed(reply, held);
      const answer = await appErrorAsResponse(ctx, requestId, (inner) => answerOf({ ...call, ctx: inner }, requestId));
      await storeResponse(ctx, identity, answer, op.secret);
      return answer;
    }),
  );
};

const replayed = (reply: FastifyReply, answer: StoredResponse): StoredResponse => {
  reply.header('idempotency-replayed', 'true');
  return answer;
};

/** Nested `transactional` is a savepoint: what the use case wrote before it refused is undone, the claim stays. */
const appErrorAsResponse = async (
  ctx: Context,
  requestId: string,
  work: (ctx: Context) => Promise<StoredResponse>,
): Promise<StoredResponse> => {
  try {
    return await ctx.em.transactional((em) => work({ ...ctx, em: em as Context['em'] }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.broadcasts.length = 0;
    return { status: statusOf(error), body: errorText(error, requestId) };
  }
};
