import { timingSafeEqual } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SECOND_MS } from '../platform/clock.ts';
import { mapOf } from '../platform/http/map-of.ts';
import { payloadFromJson, payloadToJson } from '../temporal/payload-codec.ts';

export interface CodecServerOptions {
  codec: PayloadCodec;
  /** Origin of the Temporal UI, whose pages may call the server. */
  origin: string;
  /** What callers send as `Authorization: Bearer`. Left out: a proxy decides who reaches the server. */
  token?: string | undefined;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_PAYLOADS = 1_000;
/** Temporal writes the encoding, and a few more of a payload. */
const MAX_METADATA = 20;
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS;

const metadata = mapOf(z.record(z.string(), z.base64()), {
  max: MAX_METADATA,
  problem: `must have at most ${MAX_METADATA} names`,
  documented: { additionalProperties: { type: 'string' } },
});

const payloadsSchema = z.object({
  payloads: z.array(z.object({ metadata: metadata.default({}), data: z.base64().default('') })).max(MAX_PAYLOADS),
});

const isSame = (given: string, wanted: string): boolean =>
  given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));

/**
 * What the Temporal UI and CLI call to show encrypted payloads (https://docs.temporal.io/production-deployment/data-encryption). Only
 * decodes; 400 for what it cannot read, without saying why. Logs nothing.
 */
export const buildCodecServer = ({ codec, origin, token }: CodecServerOptions): FastifyInstance => {
  const app = fastify({ bodyLimit: MAX_BODY_BYTES, requestTimeout: REQUEST_TIMEOUT_MS, connectionTimeout: REQUEST_TIMEOUT_MS });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, x-namespace',
      'cache-control': 'no-store',
      vary: 'origin',
    });
    if (request.method === 'OPTIONS') return reply.code(204).send();
    if (token === undefined || isSame(request.headers.authorization ?? '', `Bearer ${token}`)) return;
    return reply.code(401).send({ error: 'Send the token of this server: Authorization: Bearer <token>' });
  });
  app.setErrorHandler(({ statusCode = 400 }: { statusCode?: number }, _request, reply) =>
    reply.code(statusCode < 500 ? statusCode : 400).send({ error: 'The payloads cannot be read' }),
  );
  app.options('/decode', async () => '');
  app.post('/decode', async ({ body }) => {
    const { payloads } = payloadsSchema.parse(body);
    const decoded = await codec.decode(payloads.map(payloadFromJson));
    return { payloads: decoded.map(payloadToJson) };
  });
  return app;
};
