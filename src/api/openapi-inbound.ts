import { z } from 'zod';
import type { ZodOpenApiPathItemObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode } from '../contracts/error-codes.ts';
import type { InboundWebhook } from '../platform/http/inbound-webhook.ts';
import { envelope, errorResponse, headersOf } from './openapi-components.ts';

/** For paths that are not below /api/v1. */
export const ORIGIN = [{ url: '/' }];

const standardHeaders = z.object({
  'webhook-id': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .describe('Id of the message, chosen by the sender: 1 to 255 visible ASCII characters'),
  'webhook-timestamp': z
    .string()
    .regex(/^[0-9]{1,12}$/)
    .describe('Time of sending in Unix seconds; at most 5 minutes from the time of the server'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the decoded base64 text after `whsec_`. Several signatures are separated by spaces; one must match',
    ),
});

const stripeHeaders = z.object({
  'stripe-signature': z.string().describe("Stripe's signature over its time and the body; at most 5 minutes old"),
});

const headersOfSender = ({ signature = 'standard' }: InboundWebhook) =>
  signature === 'own' ? {} : { header: signature === 'stripe' ? stripeHeaders : standardHeaders };

const codesOf = (webhook: InboundWebhook): ErrorCode[] => [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'CONFLICT',
  ...(webhook.reasons.length > 0 ? (['VALIDATION_ERROR'] as const) : []),
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  ...(webhook.signature === 'own' ? (['UNAVAILABLE'] as const) : []),
];

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'A header is missing, the signature is not valid, or the timestamp is outside the tolerance',
  RATE_LIMITED:
    'Too many requests of your address in a minute had no valid signature, or the server is overloaded (`OVERLOADED`): repeat after the seconds in `Retry-After`',
};

/** Responses without rate limit headers: these endpoints are limited by concurrency. */
const errorReply = (code: ErrorCode) => ({
  description: `\`${code}\`: ${MEANINGS[code] ?? ERRORS[code].meaning}`,
  headers: headersOf('X-Request-Id', ...(code === 'RATE_LIMITED' || code === 'UNAVAILABLE' ? (['Retry-After'] as const) : [])),
  content: { 'application/json': { schema: errorResponse } },
});

const descriptionOf = ({ description, reasons }: InboundWebhook): string =>
  reasons.length === 0 ? description : `${description} 409 \`reason\`: ${reasons.map((reason) => `\`${reason}\``).join(', ')}.`;

const bodyExamples = (webhook: InboundWebhook) =>
  Object.fromEntries(Object.entries(webhook.examples.bodies).map(([name, value]) => [name, { summary: name, value }]));

const pathItem = (webhook: InboundWebhook): ZodOpenApiPathItemObject => {
  const params = Object.entries(webhook.params).map(([name, description]) => [name, z.string().meta({ description })]);
  const example = { data: webhook.examples.data, meta: { requestId: 'req_0198f1c2-7a4e-7c31' } };
  return {
    servers: ORIGIN,
    post: {
      operationId: webhook.id,
      tags: [webhook.tag],
      summary: webhook.summary,
      description: descriptionOf(webhook),
      security: [],
      'x-error-codes': codesOf(webhook),
      requestParams: {
        path: z.object(Object.fromEntries(params)),
        ...headersOfSender(webhook),
      },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: webhook.body, examples: bodyExamples(webhook) } },
      },
      responses: {
        200: {
          description: 'Success',
          headers: headersOf('X-Request-Id'),
          content: {
            'application/json': {
              schema: envelope(webhook.reply),
              example,
            },
          },
        },
        ...Object.fromEntries(codesOf(webhook).map((code) => [ERRORS[code].status, errorReply(code)])),
      },
    },
  };
};

/** The signed endpoints that payment systems and payout providers call. */
export const inboundPaths = (webhooks: readonly InboundWebhook[]): ZodOpenApiPathsObject =>
  Object.fromEntries(webhooks.map((webhook) => [webhook.path, pathItem(webhook)]));
