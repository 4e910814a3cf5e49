import { z } from 'zod';
import { FLAG_STATUSES, FLAG_TYPES } from '../../contracts/flags.ts';
import { timestamp, uuid } from '../../platform/http/schemas.ts';

export const flagSchema = z
  .object({
    id: uuid,
    affiliateId: uuid,
    type: z.enum(FLAG_TYPES),
    status: z.enum(FLAG_STATUSES),
    details: z.record(z.string(), z.unknown()).nullable(),
    note: z.string().nullable(),
    createdAt: timestamp,
    resolvedAt: timestamp.nullable(),
  })
  .meta({ id: 'Flag' });

export type FlagView = z.infer<typeof flagSchema>;
