import { z } from 'zod';
import { FLAG_DEADLINE_ACTIONS, FLAG_RESOLUTIONS, FLAG_STATUSES, FLAG_TYPES } from '../../contracts/flags.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { paragraph, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';

export const flagSchema = z
  .object({
    id: storedUuid,
    affiliateId: storedUuid,
    programId: storedUuid,
    type: z.enum(FLAG_TYPES),
    status: z.enum(FLAG_STATUSES),
    details: z.object({ evidenceCount: z.int(), evidence: z.array(z.record(z.string(), z.unknown())) }).nullable(),
    note: z.string().nullable(),
    conversionCount: z.int(),
    dueAt: timestamp,
    deadlineAction: z.enum(FLAG_DEADLINE_ACTIONS).nullable(),
    holdEndedAt: timestamp.nullable(),
    createdAt: timestamp,
    resolvedAt: timestamp.nullable(),
  })
  .meta({ id: 'Flag' });

export type FlagView = z.infer<typeof flagSchema>;

const count = z.int().min(0);
export const flagStatsSchema = z
  .object({ open: count, reviewed: count, dismissed: count, confirmed: count, total: count })
  .meta({ id: 'FlagStats' });

export type FlagStats = z.infer<typeof flagStatsSchema>;

export const flagListQuery = z.strictObject({
  status: z.enum(FLAG_STATUSES).optional(),
  type: z.enum(FLAG_TYPES).optional(),
  affiliateId: uuid.optional(),
  programId: uuid.optional(),
  ...pageQuery,
});

export const flagStatsQuery = z.strictObject({ programId: uuid.optional() });

const note = paragraph(1_000);

export const createFlagBody = z.strictObject({
  affiliateId: uuid,
  conversionIds: z.array(uuid).max(100).default([]),
  note: note.min(1),
});

export const resolveFlagBody = z
  .strictObject({
    status: z.enum(FLAG_RESOLUTIONS),
    note: note.optional(),
    blockAffiliate: z.boolean().default(false),
  })
  .refine(({ status, blockAffiliate }) => !blockAffiliate || status === 'confirmed', {
    path: ['blockAffiliate'],
    message: 'is only possible with the status confirmed',
  });

/** A flag as an entity or as a row. */
export type StoredFlag = Stored<FlagView, 'dueAt' | 'holdEndedAt' | 'createdAt' | 'resolvedAt'>;

export const toFlag = (flag: StoredFlag): FlagView => ({
  id: flag.id,
  affiliateId: flag.affiliateId,
  programId: flag.programId,
  type: flag.type,
  status: flag.status,
  details: flag.details ?? null,
  note: flag.note ?? null,
  conversionCount: flag.conversionCount,
  dueAt: toIso(flag.dueAt),
  deadlineAction: flag.deadlineAction ?? null,
  holdEndedAt: toIsoOrNull(flag.holdEndedAt),
  createdAt: toIso(flag.createdAt),
  resolvedAt: toIsoOrNull(flag.resolvedAt),
});

/** A flag is new with its first finding. */
export const hasEarlierEvidence = ({ details }: FlagView): boolean => details?.evidenceCount !== 1;
