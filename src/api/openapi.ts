import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode, REASONS } from '../contracts/error-codes.ts';
import { EVENT_TYPES } from '../contracts/events.ts';
import type { Operation } from '../platform/http/operation.ts';
import { VERSION } from '../version.ts';
import { moveWebhookBodies, openApiWebhooks } from './openapi-webhooks.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

/** Tags, in the order of the API reference. */
export const GROUPS: readonly string[] = [
  'Auth',
  'Onboarding',
  'Programs',
  'Merchant',
  'Applications',
  'Affiliates',
  'Me',
  'Coupons',
  'Invites',
  'Conversions',
  'Payouts',
  'Flags',
  'Billing',
  'Marketplace',
  'Marketing Resources',
  'Notifications',
  'Webhooks',
  'Docs',
  'Meta',
];

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
      details: z.looseObject({ issues: z.array(issue).optional(), reason: z.enum(REASONS).optional() }).optional(),
    }),
    meta: requestMeta,
  })
  .meta({ id: 'ErrorResponse' });

const integer = { type: 'integer' as const };
const HEADERS = {
  'X-RateLimit-Limit': { description: 'Maximum requests in the window', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window', schema: integer },
  'X-RateLimit-Reset': { description: 'Unix timestamp when the window resets', schema: integer },
  'X-Request-Id': { description: 'Request id, equal to meta.requestId', schema: { type: 'string' as const } },
  'Retry-After': { description: 'Seconds until the next request may succeed, at least 1', schema: integer },
  'Idempotency-Replayed': {
    description: '`true` when the response is that of an earlier request',
    schema: { type: 'string' as const },
  },
};

const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const rateHeaders = headersOf('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id');

/** All error codes of an operation: those it declares, and those that follow from access, parameters and body. */
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

/** One error response per status, shared by all operations. */
const ERROR_REPLIES = new Map(
  [...new Set(Object.values(ERRORS).map(({ status }) => status))].map((status) => {
    const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === status);
    const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('. ');
    const headers = status === 429 ? { ...rateHeaders, ...headersOf('Retry-After') } : rateHeaders;
    return [status, { id: `Error${status}`, description, headers, content: { 'application/json': { schema: errorResponse } } }];
  }),
);

const errorReplies = (op: Operation) =>
  Object.fromEntries(codesOf(op).map((code) => [String(ERRORS[code].status), ERROR_REPLIES.get(ERRORS[code].status)]));

export const keysOf = (op: Operation): string => (op.access === 'public' ? 'none' : op.access.keys.join(', '));

/** The scope for display: one, one per key type, `any` or `none`. */
export const scopeText = (op: Operation): string => {
  if (op.access === 'public') return 'none';
  const { scope, keys } = op.access;
  if (scope === 'any') return 'any';
  return typeof scope === 'string' ? `\`${scope}\`` : keys.map((key) => `\`${scope[key]}\` (${key})`).join(', ');
};

/** `safe` changes nothing, `by key` needs an Idempotency-Key, `by nature` reaches the same state when repeated. */
export const idempotencyOf = (op: Operation): 'safe' | 'by key' | 'by nature' => {
  if (op.method === 'GET') return 'safe';
  return op.method === 'POST' && op.access !== 'public' ? 'by key' : 'by nature';
};

const accessText = (op: Operation): string => {
  if (op.access === 'public') return 'No key needed.';
  return `Keys: ${keysOf(op)}. ${op.access.scope === 'any' ? 'Any valid key.' : `Scope: ${scopeText(op)}.`}`;
};

const descriptionOf = (op: Operation): string =>
  [
    op.description ?? '',
    accessText(op),
    op.reasons.length > 0 ? `409 \`reason\`: ${op.reasons.map((reason) => `\`${reason}\``).join(', ')}.` : '',
    idempotencyOf(op) === 'by key' ? 'Accepts `Idempotency-Key`.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Retries with the same key within 24 hours return the original response' }),
});

const parametersOf = (op: Operation) => ({
  ...(op.params ? { path: op.params as z.ZodObject } : {}),
  ...(op.query ? { query: op.query as z.ZodObject } : {}),
  ...(idempotencyOf(op) === 'by key' ? { header: idempotencyHeader } : {}),
});

const bodyOf = (op: Operation) => {
  if (!op.body) return {};
  const content = { 'application/json': { schema: op.body, example: op.example.body } };
  return { requestBody: { required: !op.body.safeParse({}).success, content } };
};

const successReply = (op: Operation) => {
  const schema = op.paged
    ? z.object({ data: op.reply.array(), meta: pageMeta })
    : z.object({ data: op.reply, meta: requestMeta });
  const requestId = 'req_0198f1c2-7a4e-7c31';
  const meta = op.paged ? { total: 1, page: 1, pageSize: 20, hasMore: false, requestId } : { requestId };
  return {
    description: 'Success',
    headers: idempotencyOf(op) === 'by key' ? { ...rateHeaders, ...headersOf('Idempotency-Replayed') } : rateHeaders,
    content: { 'application/json': { schema, example: { data: op.example.data, meta } } },
  };
};

const documented = (op: Operation): ZodOpenApiOperationObject => ({
  operationId: op.id,
  tags: [op.tag],
  summary: op.summary,
  description: descriptionOf(op),
  security: op.access === 'public' ? [] : [{ apiKey: [] }],
  'x-key-types': op.access === 'public' ? [] : [...op.access.keys],
  'x-scope': op.access === 'public' || op.access.scope === 'any' ? null : op.access.scope,
  'x-idempotent': idempotencyOf(op).replace(' ', '-'),
  requestParams: parametersOf(op),
  ...bodyOf(op),
  responses: { [op.status]: successReply(op), ...errorReplies(op) },
});

/** The OpenAPI 3.1 document, from the schemas that validate requests and responses. */
export const createOpenApi = (operations: readonly Operation[]) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const op of operations) paths[op.path] = { ...paths[op.path], [op.method.toLowerCase()]: documented(op) };
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1.0.0',
      description: `Referral programs, affiliates, conversions and payouts. Server version ${VERSION}.`,
    },
    servers: [{ url: '/api/v1' }],
    tags: GROUPS.filter((name) => operations.some((op) => op.tag === name)).map((name) => ({ name })),
    components: {
      headers: HEADERS,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'ak_live_…, ak_aff_… or ak_onb_…' } },
    },
    paths,
    webhooks: openApiWebhooks(WEBHOOK_EVENTS),
    'x-event-types': [...EVENT_TYPES],
  });
  return moveWebhookBodies(document);
};
