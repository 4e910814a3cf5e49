import { z } from 'zod';
import { DELIVERY_ERRORS, DISABLED_REASONS, ENDPOINT_STATUSES } from '../../contracts/webhooks.ts';
import { storedUuid, timestamp } from '../../platform/http/schemas.ts';

export const endpointHealthSchema = z
  .object({
    endpointId: storedUuid,
    status: z.enum(ENDPOINT_STATUSES),
    disabledReason: z.enum(DISABLED_REASONS).nullable(),
    disabledAt: timestamp.nullable(),
    failingSince: timestamp.nullable(),
    breaker: z.object({ openUntil: timestamp.nullable(), failures: z.int() }),
    deliveries: z.object({ pending: z.int(), parked: z.int(), exhausted: z.int(), oldestPendingAt: timestamp.nullable() }),
    lastSuccessAt: timestamp.nullable(),
    lastFailureAt: timestamp.nullable(),
    lastErrorCode: z.enum(DELIVERY_ERRORS).nullable(),
    recent: z.object({ from: timestamp, attempts: z.int(), succeeded: z.int(), successShare: z.number().nullable() }),
    nextSteps: z.array(z.string()),
  })
  .meta({ id: 'WebhookEndpointHealth' });

export type EndpointHealthView = z.infer<typeof endpointHealthSchema>;
