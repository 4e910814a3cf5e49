import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode } from '../contracts/error-codes.ts';
import { PUBLIC_PER_MINUTE } from '../contracts/limits.ts';
import type { PublicRoute } from '../platform/http/public-route.ts';
import { envelope, errorResponse, headersOf } from './openapi-components.ts';
import { ORIGIN } from './openapi-inbound.ts';

const codesOf = ({ errors }: PublicRoute): ErrorCode[] => [...errors, 'RATE_LIMITED', 'INTERNAL_ERROR'];

/** Responses without the headers of rate limits: the limit is the address's, not that of a key. */
const errorReply = (code: ErrorCode) => ({
  description: `\`${code}\`: ${ERRORS[code].meaning}`,
  headers: headersOf('X-Request-Id', ...(code === 'RATE_LIMITED' ? (['Retry-After'] as const) : [])),
  content: { 'application/json': { schema: errorResponse } },
});

type Response = NonNullable<PublicRoute['responses'][200]>;

const contentOf = ({ schema, example, contentType }: Response) => {
  if (contentType !== undefined) return { content: { [contentType]: { schema: z.string() } } };
  if (!schema) return {};
  const wrapped = { data: example, meta: { requestId: 'req_0198f1c2-7a4e-7c31' } };
  return {
    content: {
      'application/json': {
        schema: envelope(schema),
        example: wrapped,
      },
    },
  };
};

const responsesOf = (route: PublicRoute) =>
  Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [
      status,
      { description: response.description, headers: headersOf('X-Request-Id'), ...contentOf(response) },
    ]),
  );

const documented = (route: PublicRoute): ZodOpenApiOperationObject => ({
  operationId: route.id,
  tags: [route.tag],
  summary: route.summary,
  description: `${route.description} No key needed; ${PUBLIC_PER_MINUTE} requests a minute per address.`,
  security: [],
  'x-error-codes': codesOf(route),
  requestParams: {
    ...(route.params ? { path: route.params as z.ZodObject } : {}),
    ...(route.query ? { query: route.query as z.ZodObject } : {}),
    ...(route.headers ? { header: route.headers } : {}),
  },
  ...(route.body
    ? { requestBody: { required: true, content: { 'application/json': { schema: route.body, example: route.exampleBody } } } }
    : {}),
  responses: {
    ...Object.fromEntries(codesOf(route).map((code) => [ERRORS[code].status, errorReply(code)])),
    ...responsesOf(route),
  },
});

/** The routes that browsers call without a key. */
export const publicPaths = (routes: readonly PublicRoute[]): ZodOpenApiPathsObject =>
  Object.fromEntries(routes.map((route) => [route.path, { servers: ORIGIN, [route.method.toLowerCase()]: documented(route) }]));
