import { z } from 'zod';
import { PROGRAM_STATUSES, READINESS } from '../../contracts/programs.ts';
import { TRACKING_WARNINGS } from '../../contracts/tracking.ts';
import { inOrder } from '../../platform/http/date-range.ts';
import { programId } from '../../platform/http/fields.ts';
import { dayOrInstant, storedUuid, stringOrNull, timestampOrNull, uuid } from '../../platform/http/schemas.ts';
import { programSchema } from '../programs/index.ts';

const day = z.iso.date();
const clicks = z.int();

export const clickStatsQuery = inOrder(
  z.strictObject({
    program_id: uuid.optional().describe('Only clicks in this program'),
    startDate: dayOrInstant.optional().describe('First day, as a date or a time. Default: 30 days that end with `endDate`'),
    endDate: dayOrInstant.optional().describe('Last day, as a date or a time. Default: today'),
  }),
);

export const clickStatsSchema = z
  .object({
    totalClicks: clicks.describe('Number of counted clicks in the period'),
    startDate: day.describe('First day that is counted'),
    endDate: day.describe('Last day that is counted'),
    byLink: z
      .array(
        z.object({
          linkId: storedUuid.nullable().describe("Link that the code belongs to; null for the affiliate's own code"),
          name: stringOrNull.describe("Name of the link; null for the affiliate's own code"),
          code: z.string().describe('Code that was clicked'),
          clicks: clicks.describe('Number of counted clicks'),
        }),
      )
      .describe('Clicks by code, most clicks first'),
    byDay: z
      .array(z.object({ day: day.describe('Day in UTC'), clicks: clicks.describe('Number of counted clicks') }))
      .describe('Clicks by day, earliest first. Days without clicks are left out'),
    bySource: z
      .array(
        z.object({
          source: z
            .string()
            .describe('`utm_source`, else the referring host, else `direct`; `other` beyond the first few hundred of a day'),
          clicks: clicks.describe('Number of counted clicks'),
        }),
      )
      .describe('Clicks by source, most clicks first'),
  })
  .meta({ id: 'ClickStats' });

export type ClickStatsView = z.infer<typeof clickStatsSchema>;

const complete = z.boolean().describe('Whether this part is done');

export const trackingStatusSchema = z
  .object({
    programId,
    status: z.enum(PROGRAM_STATUSES).describe('Clicks and sales count only while a program is `active`'),
    readiness: z
      .enum(READINESS)
      .describe(
        '`setup`: neither website nor payment source. `ready`: payment source, tracked click and affiliate. `partial`: between',
      ),
    stats: z
      .object({
        clicksLast24Hours: z.int().describe('Clicks of the last 24 hours, at most 10,000'),
        salesLast24Hours: z.int().describe('Sales that occurred in the last 24 hours, at most 10,000'),
      })
      .describe('What arrived recently'),
    recent: z
      .object({
        lastClickAt: timestampOrNull.describe(
          'When the last click was counted; null if none was, or if it is past its retention period',
        ),
        lastSaleAt: timestampOrNull.describe('When the most recent sale occurred; null if there is none'),
        lastScriptSeenAt: timestampOrNull.describe('When the script last reported a click; null if it never did'),
      })
      .describe('When something last arrived'),
    health: z
      .object({
        website: z
          .object({
            complete,
            domain: stringOrNull.describe(
              'Domain of the website: pages of it and of its subdomains may report clicks; null without a website',
            ),
          })
          .describe('Website of the program, whose pages may report clicks'),
        scriptInstalled: z
          .object({
            complete,
            lastSeenAt: timestampOrNull.describe('When the script last reported a click, to the minute; null if it never did'),
            page: stringOrNull.describe('Page from which it did, without its query; null if it never did'),
          })
          .describe('Script on the website'),
        affiliates: z.object({ complete }).describe('Whether there is an approved affiliate'),
        clicks: z
          .object({
            complete,
            lastClickAt: timestampOrNull.describe(
              'When the last click was counted; null if none was, or if it is past its retention period',
            ),
          })
          .describe('Counted clicks'),
        paymentSource: z
          .object({
            complete,
            stripeConnectedAt: programSchema.shape.stripeConnectedAt,
            stripeSecretSetAt: timestampOrNull.describe(
              "When the signing secret of the merchant's own Stripe account was set; null if it was not",
            ),
            eventSecretIssuedAt: timestampOrNull.describe('When the current event secret was issued; null if there is none'),
            eventSecretLastUsedAt: timestampOrNull.describe(
              'When an event was last signed with it, to the minute; null if none was',
            ),
          })
          .describe('Where sales come from'),
        sales: z
          .object({ complete, lastSaleAt: timestampOrNull.describe('When the most recent sale occurred; null if there is none') })
          .describe('Received sales'),
      })
      .describe('The parts of the setup, each with what was measured'),
    warnings: z
      .array(
        z.object({
          code: z.enum(TRACKING_WARNINGS).describe('What is missing: a stable code'),
          message: z.string().describe('How to fix it, in one sentence'),
        }),
      )
      .describe('What is missing, in the order in which to fix it'),
    summary: z.string().describe('Whether tracking works, or the next step'),
  })
  .meta({ id: 'TrackingStatus' });

export type TrackingStatusView = z.infer<typeof trackingStatusSchema>;
