import { z } from 'zod';
import { describeTimelineEntry } from '../../contracts/payout-timeline.texts.ts';
import { PAYOUT_STATUSES, PAYOUT_TIMELINE_TYPES, RAIL_OUTCOMES } from '../../contracts/payouts.ts';
import { toIso } from '../../platform/database/sql.ts';
import { id } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { stringOrNull, timestamp } from '../../platform/http/schemas.ts';

export const timelineEntrySchema = z
  .object({
    id,
    at: timestamp.describe('When it happened'),
    type: z.enum(PAYOUT_TIMELINE_TYPES).describe('What happened'),
    description: z.string().describe('For display only; the wording may change'),
    actor: z.string().describe('Who did it: a key, the admin CLI or a part of the system'),
    from: z.enum(PAYOUT_STATUSES).nullable().describe('Status of the payout before; null if it did not change'),
    to: z.enum(PAYOUT_STATUSES).nullable().describe('Status of the payout after; null if it did not change'),
    attempt: z.int().nullable().describe('Number of the payment attempt, from 1; null if none is concerned'),
    outcome: z.enum(RAIL_OUTCOMES).nullable().describe('Result of a send or a status look-up'),
    railReference: stringOrNull.describe("The provider's id of the transfer; null if there is none"),
    reason: stringOrNull.describe("A reason code, or the provider's own code"),
    note: stringOrNull.describe('Text of the person who decided; null if there is none'),
    reminder: z.int().nullable().describe('Number of the reminder, from 1; null for other entries'),
    times: z.int().describe('How often a status look-up in a row had this result; 1 for other entries'),
    lastAt: timestamp.describe('Time of the last of them'),
    workflowId: stringOrNull.describe('Temporal workflow that did it; null if it was a request'),
    runId: stringOrNull.describe('Temporal run that did it; null if it was a request'),
  })
  .meta({ id: 'PayoutTimelineEntry' });

export type TimelineEntryView = z.infer<typeof timelineEntrySchema>;

export const timelineQuery = z.strictObject({
  order: z.enum(['asc', 'desc']).default('asc').describe('`desc` lists the newest entries first'),
  ...pageQuery,
});

type TimelineRow = Omit<TimelineEntryView, 'description'>;

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
