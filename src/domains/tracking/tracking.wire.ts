import { z } from 'zod';
import { PROGRAM_STATUSES, READINESS } from '../../contracts/programs.ts';
import { TRACKING_WARNINGS } from '../../contracts/tracking.ts';
import { instant, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';

const day = z.iso.date();
const dayOrInstant = z.union([day, instant], 'must be an ISO 8601 date, or a date and time with Z or an offset');
const clicks = z.int();

export const clickStatsQuery = z.strictObject({
  program_id: uuid.optional(),
  startDate: dayOrInstant.optional(),
  endDate: dayOrInstant.optional(),
});

export const clickStatsSchema = z
  .object({
    totalClicks: clicks,
    startDate: day,
    endDate: day,
    byLink: z.array(z.object({ linkId: storedUuid.nullable(), name: z.string().nullable(), code: z.string(), clicks })),
    byDay: z.array(z.object({ day, clicks })),
    bySource: z.array(z.object({ source: z.string(), clicks })),
  })
  .meta({ id: 'ClickStats' });

export type ClickStatsView = z.infer<typeof clickStatsSchema>;

const complete = z.boolean();

export const trackingStatusSchema = z
  .object({
    programId: storedUuid,
    status: z.enum(PROGRAM_STATUSES),
    readiness: z.enum(READINESS),
    stats: z.object({ clicksLast24Hours: z.int(), salesLast24Hours: z.int() }),
    recent: z.object({
      lastClickAt: timestamp.nullable(),
      lastSaleAt: timestamp.nullable(),
      lastScriptSeenAt: timestamp.nullable(),
    }),
    health: z.object({
      website: z.object({ complete, domain: z.string().nullable() }),
      scriptInstalled: z.object({ complete, lastSeenAt: timestamp.nullable(), page: z.string().nullable() }),
      affiliates: z.object({ complete }),
      clicks: z.object({ complete, lastClickAt: timestamp.nullable() }),
      paymentSource: z.object({
        complete,
        stripeConnectedAt: timestamp.nullable(),
        stripeSecretSetAt: timestamp.nullable(),
        eventSecretIssuedAt: timestamp.nullable(),
        eventSecretLastUsedAt: timestamp.nullable(),
      }),
      sales: z.object({ complete, lastSaleAt: timestamp.nullable() }),
    }),
    warnings: z.array(z.object({ code: z.enum(TRACKING_WARNINGS), message: z.string() })),
    summary: z.string(),
  })
  .meta({ id: 'TrackingStatus' });

export type TrackingStatusView = z.infer<typeof trackingStatusSchema>;
