import { z } from 'zod';
import { EVENT_TYPES, EXTENDED_EVENT_TYPES, SCHEMA_VERSION } from '../contracts/events.ts';
import { AFFILIATE_SCOPES, MERCHANT_SCOPES } from '../contracts/scopes.ts';
import { operation } from '../platform/http/operation.ts';
import { VERSION } from '../version.ts';

const metaSchema = z
  .object({
    name: z.string().describe('Product name'),
    version: z.string().describe('Version of the server'),
    apiVersion: z
      .string()
      .describe(
        'Semantic version of the HTTP interface, which clients depend on; `version` is that of the server. New fields, operations and values of extended events raise its second number',
      ),
    webhookSchemaVersion: z.literal(SCHEMA_VERSION).describe('Version of webhook bodies'),
    eventTypes: z.array(z.enum(EVENT_TYPES)).describe('Webhook event types that `subscribedEvents` takes'),
    extendedEventTypes: z
      .array(z.enum(EXTENDED_EVENT_TYPES))
      .describe('Further types, which an endpoint gets when its settings name them'),
    scopes: z
      .object({
        merchant: z.array(z.enum(MERCHANT_SCOPES)).describe('Scopes that merchant keys can have'),
        affiliate: z.array(z.enum(AFFILIATE_SCOPES)).describe('Scopes that affiliate keys can have'),
      })
      .describe('All scopes, by key type'),
  })
  .meta({ id: 'Meta' });

const meta: z.infer<typeof metaSchema> = {
  name: 'Tributary',
  version: VERSION,
  apiVersion: '1.0.0',
  webhookSchemaVersion: SCHEMA_VERSION,
  eventTypes: [...EVENT_TYPES],
  extendedEventTypes: [...EXTENDED_EVENT_TYPES],
  scopes: { merchant: [...MERCHANT_SCOPES], affiliate: [...AFFILIATE_SCOPES] },
};

export const metaRoutes = [
  operation({
    id: 'getMeta',
    method: 'GET',
    path: '/meta',
    tag: 'Meta',
    summary: 'Retrieve server metadata',
    description: 'Returns the versions of the server and of its API, all webhook event types and all scopes.',
    access: 'public',
    reply: metaSchema,
    example: { data: meta },
    handle: async () => meta,
  }),
];
