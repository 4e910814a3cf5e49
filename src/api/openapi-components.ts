import { z } from 'zod';
import { ERRORS, type ErrorCode, REASONS } from '../contracts/error-codes.ts';
import { ALL_EVENT_TYPES } from '../contracts/events.ts';

export const requestMeta = z
  .object({
    requestId: z.string().describe('Same as the `X-Request-Id` header; in a replayed response, that of the first request'),
  })
  .meta({ id: 'RequestMeta' });

const META = 'Request id and, for lists, pagination';

/** A response: the result, and what is known about the request. */
export const envelope = (data: z.ZodType, meta: z.ZodType = requestMeta) =>
  z.object({ data: data.describe('The result'), meta: meta.describe(META) });

export const pageMeta = z
  .object({
    total: z.int().describe('Number of items in all pages'),
    totalCapped: z
      .literal(true)
      .optional()
      .describe('Present when there are more items than `total`, which stops counting at 10,000'),
    page: z.int().describe('Number of this page; 1 when a cursor was used'),
    pageSize: z.int().describe('Maximum number of items on this page'),
    hasMore: z.boolean().describe('Whether another page follows'),
    nextCursor: z.string().optional().describe('Pass it as `cursor` to get the next page; absent on the last page'),
    requestId: requestMeta.shape.requestId,
  })
  .meta({ id: 'PageMeta' });

export const feedMeta = z
  .object({
    withheld: z
      .array(z.enum(ALL_EVENT_TYPES))
      .optional()
      .describe('Types of the page whose `data` the key may not read; absent when it may read all'),
    hasMore: z.boolean().describe('Whether more events are there already'),
    nextCursor: z
      .string()
      .optional()
      .describe(
        'Pass it as `after` to get what follows, now or later. Returned after the last page too; absent only while a call without `after` finds no event of any type',
      ),
    requestId: requestMeta.shape.requestId,
  })
  .meta({ id: 'FeedMeta' });

const issue = z.object({
  path: z.string().describe('Path of the parameter or field, for example `customer.email`'),
  code: z.string().describe('Kind of problem'),
  message: z.string().describe('What is wrong with this field, for people'),
});

export const errorResponse = z
  .object({
    error: z
      .object({
        code: z
          .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
          .describe('Stable error code; see x-error-codes of the operation'),
        message: z.string().describe('Explanation for people; the wording may change'),
        details: z
          .looseObject({
            issues: z.array(issue).optional().describe('Invalid parameters or fields, at most 20'),
            reason: z.enum(REASONS).optional().describe('Why the request conflicts: a stable code to switch on'),
          })
          .optional()
          .describe('Facts about the error, depending on its code'),
      })
      .describe('What went wrong'),
    meta: requestMeta.describe(META),
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
    description: '`true` when the response is that of an earlier request: its `meta.requestId` is the one of that request',
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
