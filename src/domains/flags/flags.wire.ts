import { z } from 'zod';
import { FLAG_DEADLINE_ACTIONS, FLAG_RESOLUTIONS, FLAG_STATUSES, FLAG_TYPES } from '../../contracts/flags.ts';
import { PAGE_MAX } from '../../contracts/limits.ts';
import { FLAG_NEXT, FLAG_REASONS, FLAG_STATES, flagSituation } from '../../contracts/situations/flag.ts';
import { shownSituation } from '../../contracts/situations/situation.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { affiliateFilter, affiliateId, createdAt, id, programFilter, programId } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  paragraph,
  queryInteger,
  storedUuid,
  stringOrNull,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../platform/http/schemas.ts';
import { situationOf } from '../../platform/http/situation.ts';

export const flagSchema = z
  .object({
    id,
    affiliateId,
    programId,
    type: z.enum(FLAG_TYPES).describe('Rule that raised the flag; `manual_review`: a person, or the review of new affiliates'),
    status: z.enum(FLAG_STATUSES).describe('`open` until a person decides'),
    details: z
      .object({
        evidenceCount: z.int().describe('Number of findings'),
        evidence: z
          .array(z.record(z.string(), z.unknown()))
          .describe('What was found and when (`at`), depending on the type: the first finding and the newest ones'),
      })
      .nullable()
      .describe('Evidence'),
    note: stringOrNull.describe('Newest text of a person who raised or resolved the flag; null if there is none'),
    conversionCount: z.int().describe('Conversions that are linked to the flag'),
    dueAt: timestamp.describe('When `flagDeadlineAction` of the merchant is applied, counted from the newest evidence'),
    deadlineAction: z
      .enum(FLAG_DEADLINE_ACTIONS)
      .nullable()
      .describe('What was applied at the deadline; null before it, and when a person was faster'),
    holdEndedAt: timestampOrNull.describe(
      'When the hold on the linked conversions ended or their commissions were rejected; null while they are held',
    ),
    createdAt,
    resolvedAt: timestampOrNull.describe('When the flag was resolved; null while it is open'),
  })
  .meta({ id: 'Flag' });

export type FlagView = z.infer<typeof flagSchema>;

/** With its situation, as in lists. */
export const flagRecordSchema = flagSchema
  .extend({ situation: situationOf({ states: FLAG_STATES, reasons: FLAG_REASONS, next: FLAG_NEXT }) })
  .meta({ id: 'FlagRecord' });

export type FlagRecord = z.infer<typeof flagRecordSchema>;

export const flagDetailSchema = flagRecordSchema
  .extend({
    conversionIds: z
      .array(storedUuid)
      .describe('Linked conversions, newest first: one page of them. `GET /conversions?flagId=` returns them in full'),
    nextConversionId: storedUuid.nullable().describe('Pass it as `after` for the next page of `conversionIds`; null on the last'),
  })
  .meta({ id: 'FlagDetail' });

export type FlagDetailView = z.infer<typeof flagDetailSchema>;

export const flagQuery = z.strictObject({
  after: uuid.optional().describe('The `nextConversionId` of the page before. Default: the first page'),
  limit: queryInteger(1, PAGE_MAX).default(PAGE_MAX).describe('Maximum number of `conversionIds`. Default: 100'),
});

const count = z.int().min(0);
export const flagStatsSchema = z
  .object({
    open: count.describe('Flags that wait for a decision'),
    reviewed: count.describe('Flags that were looked at without a finding'),
    dismissed: count.describe('Flags that were not justified'),
    confirmed: count.describe('Flags that were justified'),
    total: count.describe('All flags'),
  })
  .meta({ id: 'FlagStats' });

export type FlagStats = z.infer<typeof flagStatsSchema>;

export const flagListQuery = z.strictObject({
  status: z.enum(FLAG_STATUSES).optional().describe('Only flags in this status'),
  type: z.enum(FLAG_TYPES).optional().describe('Only flags of this type'),
  affiliateId: affiliateFilter,
  programId: programFilter,
  ...pageQuery,
});

export const flagStatsQuery = z.strictObject({ programId: programFilter });

const note = paragraph(1_000);

export const createFlagBody = z.strictObject({
  affiliateId: uuid.describe('Affiliate: the membership of one person in one program, as returned by `GET /affiliates`'),
  conversionIds: z.array(uuid).max(100).default([]).describe('Conversions of the affiliate to hold, at most 100. Default: none'),
  note: note.min(1).describe('Why you suspect the affiliate'),
});

export const resolveFlagBody = z
  .strictObject({
    status: z
      .enum(FLAG_RESOLUTIONS)
      .describe('`dismissed` and `reviewed` end the hold on the linked conversions, `confirmed` rejects their commissions'),
    note: note.optional().describe('Replaces the note of the flag. Default: the note stays'),
    blockAffiliate: z
      .boolean()
      .default(false)
      .describe('Whether the affiliate is blocked, too. Only with `confirmed`. Default: false'),
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

/** With its situation. */
export const toFlagRecord = (stored: StoredFlag): FlagRecord => {
  const flag = toFlag(stored);
  return { ...flag, situation: shownSituation(flagSituation({ ...flag, isHolding: flag.holdEndedAt === null })) };
};

/** A flag is new with its first finding. */
export const hasEarlierEvidence = ({ details }: FlagView): boolean => details?.evidenceCount !== 1;
