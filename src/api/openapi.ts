import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { ErrorCode } from '../contracts/error-codes.ts';
import { EVENT_TYPES, EXTENDED_EVENT_TYPES } from '../contracts/events.ts';
import type { InboundWebhook } from '../platform/http/inbound-webhook.ts';
import type { Operation } from '../platform/http/operation.ts';
import type { PublicRoute } from '../platform/http/public-route.ts';
import { VERSION } from '../version.ts';
import { addCodeSamples } from './code-samples.ts';
import { readGuides } from './guides.ts';
import {
  envelope,
  errorReplies,
  feedMeta,
  HEADERS,
  headersOf,
  pageMeta,
  rateHeaders,
  requestMeta,
} from './openapi-components.ts';
import { completeDescriptions } from './openapi-fields.ts';
import { GROUPS, TAG_GROUPS, tagOf } from './openapi-groups.ts';
import { inboundPaths } from './openapi-inbound.ts';
import { publicPaths } from './openapi-public.ts';
import { moveWebhookBodies, openApiWebhooks } from './openapi-webhooks.ts';
import { INBOUND_WEBHOOKS, PUBLIC_ROUTES } from './routes.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

/** All error codes of an operation: those it declares, and those that follow from access, parameters and body. */
export const codesOf = (op: Operation): ErrorCode[] => {
  const codes = new Set<ErrorCode>(['BAD_REQUEST', 'RATE_LIMITED', 'INTERNAL_ERROR', ...op.errors]);
  if (op.access !== 'public') {
    codes.add('UNAUTHORIZED').add('FORBIDDEN');
    if (op.access.scope !== 'any') codes.add('INSUFFICIENT_SCOPE');
  }
  if (op.params) codes.add('NOT_FOUND');
  if (op.body) codes.add('VALIDATION_ERROR');
  if (op.reasons.length > 0 || op.method !== 'GET') codes.add('CONFLICT');
  if (op.method === 'POST' && op.access !== 'public') codes.add('IDEMPOTENCY_KEY_REUSED');
  return [...codes];
};

export const keysOf = (op: Operation): string => (op.access === 'public' ? 'none' : op.access.keys.join(', '));

/** The scope for display: one, one per key type, `any` or `none`. */
export const scopeText = (op: Operation): string => {
  if (op.access === 'public') return 'none';
  const { scope, keys } = op.access;
  if (scope === 'any') return 'any';
  return typeof scope === 'string' ? `\`${scope}\`` : keys.map((key) => `\`${scope[key]}\` (${key})`).join(', ');
};

/** `safe` changes nothing, `by key` can be repeated with the same Idempotency-Key, `by nature` reaches the same state when repeated. */
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
    op.description,
    accessText(op),
    op.reasons.length > 0 ? `409 \`reason\`: ${op.reasons.map((reason) => `\`${reason}\``).join(', ')}.` : '',
    idempotencyOf(op) === 'by key' ? 'Accepts `Idempotency-Key`.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{0,255}$/)
    .optional()
    .describe(
      'Your id of this request: 1 to 255 visible ASCII characters; an empty one counts as none. Retries with the same key within 24 hours return the original response',
    ),
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

const REQUEST_ID = 'req_0198f1c2-7a4e-7c31';

/** The schema and the example of `meta`. */
const metaOf = ({ paged }: Operation): { schema: z.ZodType; example: Readonly<Record<string, unknown>> } => {
  if (paged === 'feed') return { schema: feedMeta, example: { hasMore: false, nextCursor: 'WyI0MjE3…', requestId: REQUEST_ID } };
  if (!paged) return { schema: requestMeta, example: { requestId: REQUEST_ID } };
  return { schema: pageMeta, example: { total: 1, page: 1, pageSize: 20, hasMore: false, requestId: REQUEST_ID } };
};

const successReply = (op: Operation) => {
  const meta = metaOf(op);
  const schema = envelope(op.paged ? op.reply.array() : op.reply, meta.schema);
  return {
    description: 'Success',
    headers: idempotencyOf(op) === 'by key' ? { ...rateHeaders, ...headersOf('Idempotency-Replayed') } : rateHeaders,
    content: { 'application/json': { schema, example: { data: op.example.data, meta: meta.example } } },
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
  'x-error-codes': codesOf(op),
  requestParams: parametersOf(op),
  ...bodyOf(op),
  responses: {
    ...(op.isExisting ? { 200: successReply(op) } : {}),
    [op.status]: successReply(op),
    ...errorReplies(codesOf(op)),
  },
});

/** The document itself, the only response without an envelope. */
const ownPath: ZodOpenApiPathsObject = {
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags: ['Docs'],
      summary: 'Retrieve this document',
      description: 'Returns the OpenAPI 3.1 document as it is, without `data` and `meta`. No key needed.',
      security: [],
      'x-error-codes': ['RATE_LIMITED', 'INTERNAL_ERROR'],
      responses: {
        200: {
          description: 'The OpenAPI document',
          headers: rateHeaders,
          content: {
            'application/json': { schema: z.looseObject({ openapi: z.string().describe('OpenAPI version') }) },
          },
        },
        ...errorReplies(['RATE_LIMITED', 'INTERNAL_ERROR']),
      },
    },
  },
};

const SECURITY_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key: `ak_live_…` (merchant), `ak_aff_…` (affiliate) or `ak_onb_…` (onboarding)',
} as const;

/** The OpenAPI 3.1 document, from the schemas that validate requests and responses. */
export const createOpenApi = (
  operations: readonly Operation[],
  inboundWebhooks: readonly InboundWebhook[] = INBOUND_WEBHOOKS,
  publicRoutes: readonly PublicRoute[] = PUBLIC_ROUTES,
) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const op of operations) paths[op.path] = { ...paths[op.path], [op.method.toLowerCase()]: documented(op) };
  const tags = new Set(['Docs', ...[...inboundWebhooks, ...publicRoutes, ...operations].map(({ tag }) => tag)]);
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary API reference',
      version: '1.0.0',
      description: `${readGuides()}\n\nServer version ${VERSION}.`,
      license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: '/api/v1' }],
    tags: GROUPS.filter((name) => tags.has(name)).map(tagOf),
    components: { headers: HEADERS, securitySchemes: { apiKey: SECURITY_SCHEME } },
    paths: { ...paths, ...inboundPaths(inboundWebhooks), ...publicPaths(publicRoutes), ...ownPath },
    webhooks: openApiWebhooks(WEBHOOK_EVENTS),
    'x-event-types': [...EVENT_TYPES],
    'x-extended-event-types': [...EXTENDED_EVENT_TYPES],
    'x-tagGroups': Object.entries(TAG_GROUPS).map(([name, names]) => ({ name, tags: names.filter((tag) => tags.has(tag)) })),
  });
  return addCodeSamples(completeDescriptions(moveWebhookBodies(document)));
};
