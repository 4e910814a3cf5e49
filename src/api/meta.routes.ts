import { z } from 'zod';
import { EVENT_TYPES, SCHEMA_VERSION } from '../contracts/events.ts';
import { AFFILIATE_SCOPES, MERCHANT_SCOPES } from '../contracts/scopes.ts';
import { type Operation, operation } from '../platform/http/operation.ts';
import { VERSION } from '../version.ts';

const metaSchema = z
  .object({
    name: z.string(),
    version: z.string(),
    apiVersion: z.string(),
    webhookSchemaVersion: z.literal(SCHEMA_VERSION),
    eventTypes: z.array(z.enum(EVENT_TYPES)),
    scopes: z.object({ merchant: z.array(z.enum(MERCHANT_SCOPES)), affiliate: z.array(z.enum(AFFILIATE_SCOPES)) }),
  })
  .meta({ id: 'Meta' });

const meta: z.infer<typeof metaSchema> = {
  name: 'Tributary',
  version: VERSION,
  apiVersion: '1.0.0',
  webhookSchemaVersion: SCHEMA_VERSION,
  eventTypes: [...EVENT_TYPES],
  scopes: { merchant: [...MERCHANT_SCOPES], affiliate: [...AFFILIATE_SCOPES] },
};

export const metaRoutes: Operation[] = [
  operation({
    id: 'getMeta',
    method: 'GET',
    path: '/meta',
    tag: 'Meta',
    summary: 'Retrieve server metadata',
    access: 'public',
    reply: metaSchema,
    example: { data: meta },
    handle: async () => meta,
  }),
];
