import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode, REASONS } from '../contracts/error-codes.ts';
import { EVENT_TYPES } from '../contracts/events.ts';
import type { Operation } from '../platform/http/operation.ts';
import { VERSION } from '../version.ts';

const requestMeta = z.object({ requestId: z.string() }).meta({ id: 'RequestMeta' });

const pageMeta = z
  .object({
    total: z.int(),
    totalCapped: z.literal(true).optional(),
    page: z.int(),
    pageSize: z.int(),
    hasMore: z.boolean(),
    nextCursor: z.string().optional(),
    requestId: z.string(),
  })
  .meta({ id: 'PageMeta' });

const issue = z.object({ path: z.string(), code: z.string(), message: z.string() });

const errorResponse = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      details: z
        .looseObject({ issues: z.array(issue).optional(), reason: z.enum(REASONS).optional() })
        .optional(),
    }),
    meta: requestMeta,
  })
  .meta({ id: 'ErrorResponse' });

const rateHeaders = {
  'X-RateLimit-Limit': { description: 'Maximum requests in the window', schema: { type: 'integer' as const } },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window', schema: { type: 'integer' as const } },
  'X-RateLimit-Reset': { description: 'Unix timestamp when the window resets', schema: { type: 'integer' as const } },
  'X-Request-Id': { description: 'Request id, as in meta.requestId', schema: { type: 'string' as const } },
};

/** Every code an operation can answer: what it declares, and what follows from its access, parameters and body. */
export const codesOf = (op: Operation): ErrorCode[] => {
  const codes = new Set<ErrorCode>(['BAD_REQUEST', 'RATE_LIMITED', 'INTERNAL_ERROR', ...op.errors]);
  if (op.access !== 'public') {
    codes.add('UNAUTHORIZED').add('FORBIDDEN');
    if (op.access.scope !== 'any') codes.add('INSUFFICIENT_SCOPE');
  }
  if (op.params) codes.add('NOT_FOUND');
  if (op.body) codes.add('VALIDATION_ERROR');
  if (op.reasons.length > 0) codes.add('CONFLICT');
  if (op.method === 'POST' && op.access !== 'public') codes.add('CONFLICT').add('IDEMPOTENCY_KEY_REUSED');
  return [...codes];
};

const errorReplies = (op: Operation) => {
  const byStatus = Object.groupBy(codesOf(op), (code) => String(ERRORS[code].status));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes = []]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('. '),
        headers: rateHeaders,
        content: { 'application/json': { schema: errorResponse } },
      },
    ]),
  );
};

const accessText = (op: Operation): string => {
  if (op.access === 'public') return 'No key needed.';
  const keys = op.access.keys.join(', ');
  if (op.access.scope === 'any') return `Keys: ${keys}. Any valid key.`;
  const scope = typeof op.access.scope === 'string' ? op.access.scope : Object.values(op.access.scope).join(' / ');
  return `Keys: ${keys}. Scope: \`${scope}\`.`;
};

const describe = (op: Operation): string =>
  [
    accessText(op),
    op.reasons.length > 0 ? `409 \`reason\`: ${op.reasons.map((reason) => `\`${reason}\``).join(', ')}.` : '',
    op.method === 'POST' && op.access !== 'public' ? 'Accepts `Idempotency-Key`.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');

const idempotencyHeader = z.object({
  'Idempotency-Key': z.string().max(255).optional().meta({ description: 'Repeats within 24 hours get the first answer' }),
});

const documented = (op: Operation): ZodOpenApiOperationObject => {
  const data = op.paged ? op.reply.array() : op.reply;
  const meta = op.paged ? pageMeta : requestMeta;
  const exampleMeta = op.paged
    ? { total: 1, page: 1, pageSize: 20, hasMore: false, requestId: 'req_0198f1c2-7a4e-7c31' }
    : { requestId: 'req_0198f1c2-7a4e-7c31' };
  const idempotent = op.method === 'POST' && op.access !== 'public';
  return {
    operationId: op.id,
    tags: [op.tag],
    summary: op.summary,
    description: describe(op),
    security: op.access === 'public' ? [] : [{ apiKey: [] }],
    'x-key-types': op.access === 'public' ? [] : [...op.access.keys],
    'x-scope': op.access === 'public' || op.access.scope === 'any' ? null : op.access.scope,
    'x-idempotent': op.method === 'GET' ? 'safe' : idempotent ? 'by-key' : 'by-nature',
    requestParams: {
      ...(op.params ? { path: op.params as z.ZodObject } : {}),
      ...(op.query ? { query: op.query as z.ZodObject } : {}),
      ...(idempotent ? { header: idempotencyHeader } : {}),
    },
    ...(op.body
      ? { requestBody: { content: { 'application/json': { schema: op.body, ...(op.example.body ? { example: op.example.body } : {}) } } } }
      : {}),
    responses: {
      [op.status]: {
        description: 'Success',
        headers: rateHeaders,
        content: {
          'application/json': {
            schema: z.object({ data, meta }),
            example: { data: op.example.data, meta: exampleMeta },
          },
        },
      },
      ...errorReplies(op),
    },
  };
};

/** OpenAPI 3.1 of the whole table, made from the same schemas that check requests and answers. */
export const createOpenApi = (operations: readonly Operation[]) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const op of operations) paths[op.path] = { ...paths[op.path], [op.method.toLowerCase()]: documented(op) };
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1.0.0',
      description: `Referral programs, affiliates, conversions and payouts. Server version ${VERSION}.`,
    },
    servers: [{ url: '/api/v1' }],
    tags: [...new Set(operations.map((op) => op.tag))].map((name) => ({ name })),
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'ak_live_…, ak_aff_… or ak_onb_…' } } },
    paths,
    'x-event-types': [...EVENT_TYPES],
  });
};
