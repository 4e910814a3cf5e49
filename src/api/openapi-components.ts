import { z } from 'zod';
import { ERRORS, type ErrorCode, REASONS } from '../contracts/error-codes.ts';

export const requestMeta = z.object({ requestId: z.string() }).meta({ id: 'RequestMeta' });

export const pageMeta = z
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

export const feedMeta = z
  .object({ hasMore: z.boolean(), nextCursor: z.string().optional(), requestId: z.string() })
  .meta({ id: 'FeedMeta' });

const issue = z.object({ path: z.string(), code: z.string(), message: z.string() });

export const errorResponse = z
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
export const HEADERS = {
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

export const headersOf = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const rateHeaders = headersOf('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id');

/** One error response per status, shared by all operations. */
const ERROR_REPLIES = new Map(
  [...new Set(Object.values(ERRORS).map(({ status }) => status))].map((status) => {
    const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === status);
    const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('. ');
    const headers = status === 429 ? { ...rateHeaders, ...headersOf('Retry-After') } : rateHeaders;
    return [status, { id: `Error${status}`, description, headers, content: { 'application/json': { schema: errorResponse } } }];
  }),
);

export const errorReplies = (codes: readonly ErrorCode[]) =>
  Object.fromEntries(codes.map((code) => [String(ERRORS[code].status), ERROR_REPLIES.get(ERRORS[code].status)]));
