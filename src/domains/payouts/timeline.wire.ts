import { z } from 'zod';
import { PAYOUT_STATUSES, PAYOUT_TIMELINE_TYPES, RAIL_OUTCOMES } from '../../contracts/payouts.ts';
import { toIso } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { storedUuid, timestamp } from '../../platform/http/schemas.ts';
import { describeTimelineEntry } from './timeline-description.ts';

export const timelineEntrySchema = z
  .object({
    id: storedUuid,
    at: timestamp,
    type: z.enum(PAYOUT_TIMELINE_TYPES),
    description: z.string().meta({ description: 'For display only; the wording may change' }),
    actor: z.string(),
    from: z.enum(PAYOUT_STATUSES).nullable(),
    to: z.enum(PAYOUT_STATUSES).nullable(),
    attempt: z.int().nullable(),
    outcome: z.enum(RAIL_OUTCOMES).nullable().meta({ description: 'Result of a send or a status look-up' }),
    railReference: z.string().nullable(),
    reason: z.string().nullable().meta({ description: "A reason code, or the provider's own code" }),
    note: z.string().nullable(),
    reminder: z.int().nullable(),
    times: z.int().meta({ description: 'How often a status look-up in a row had this result; 1 for other entries' }),
    lastAt: timestamp.meta({ description: 'Time of the last of them' }),
    workflowId: z.string().nullable(),
    runId: z.string().nullable(),
  })
  .meta({ id: 'PayoutTimelineEntry' });

export type TimelineEntryView = z.infer<typeof timelineEntrySchema>;

export const timelineQuery = z.strictObject({
  order: z.enum(['asc', 'desc']).default('asc').meta({ description: '`desc` lists the newest entries first' }),
  ...pageQuery,
});

export type TimelineRow = Omit<TimelineEntryView, 'description'>;

export const toTimelineEntry = (row: TimelineRow): TimelineEntryView => ({
  id: row.id,
  at: toIso(row.at),
  type: row.type,
  description: describeTimelineEntry(row),
  actor: row.actor,
  from: row.from,
  to: row.to,
  attempt: row.attempt,
  outcome: row.outcome,
  railReference: row.railReference,
  reason: row.reason,
  note: row.note,
  reminder: row.reminder,
  times: row.times,
  lastAt: toIso(row.lastAt),
  workflowId: row.workflowId,
  runId: row.runId,
});
