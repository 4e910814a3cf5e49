import { z } from 'zod';
import { AFFILIATE_STATUSES, SOURCES, TRUST_TIERS } from '../../contracts/affiliates.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { normalizeEmail } from '../../platform/email.ts';
import { createdAt, currencyCode, email, id, programFilter, programId, userId } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  line,
  ownMetadata,
  paragraph,
  percent,
  queryAddress,
  queryBoolean,
  stringOrNull,
  timestampOrNull,
  withTextsOf,
} from '../../platform/http/schemas.ts';
import { enteredDetailsBody, enteredDetailsSchema, namesOneAccount, ONE_ACCOUNT } from './payout-info.wire.ts';

const externalId = line(200);

export const affiliateSchema = z
  .object({
    id,
    userId,
    programId,
    name: stringOrNull.describe('Name of the person; null if unknown'),
    email,
    code: z.string().describe('Referral code, unique in the installation'),
    status: z.enum(AFFILIATE_STATUSES).describe('`blocked` affiliates earn no commissions and are not paid'),
    source: z.enum(SOURCES).describe('How the affiliate joined the program'),
    totalClicks: z.int().describe('Number of counted clicks'),
    totalConversions: z.int().describe('Number of sales credited to the affiliate'),
    totalRevenue: amountMinor.describe('Sum of the credited sales, less refunds'),
    totalEarnings: amountMinor.describe('Sum of all commissions, less refunds'),
    blockedAt: timestampOrNull.describe('When the affiliate was blocked; null if it is not'),
    blockedReason: stringOrNull.describe('Reason given when the affiliate was blocked; null if there is none'),
    commissionPercent: z
      .number()
      .nullable()
      .describe("Commission of this affiliate in percent, for later sales; null if the program's applies"),
    payoutsPaused: z.boolean().describe('Whether no payouts can be created. The affiliate still earns commissions'),
    trustTier: z
      .enum(TRUST_TIERS)
      .describe('How far the affiliate is trusted. Programs with `reviewNewAffiliates` review every conversion of a `new` one'),
    externalId: stringOrNull.describe('Your own id of the affiliate, unique in the program; null if there is none'),
    metadata: ownMetadata
      .nullable()
      .describe(
        'Data of your own: at most 20 text values, and 2 KB in total. The affiliate does not see it. Null if there is none',
      ),
    createdAt,
  })
  .meta({ id: 'Affiliate' });

export const affiliateStatsSchema = z
  .object({
    currency: currencyCode,
    totalRevenue: affiliateSchema.shape.totalRevenue,
    pending: amountMinor.describe(
      'Commissions in their hold period, not payable yet. This is not the `pendingAmount` of `GET /payouts/pending`',
    ),
    payable: amountMinor.describe(
      'Approved and unpaid: what a payout pays, in integer minor units. Negative when refunds and adjustments exceed unpaid commissions',
    ),
    inPayout: amountMinor.describe('In payouts that are pending or processing'),
    paid: amountMinor.describe('Paid by completed payouts'),
  })
  .meta({ id: 'AffiliateStats' });

export const affiliateDetailSchema = affiliateSchema
  .extend({
    payoutDetails: enteredDetailsSchema
      .nullable()
      .describe(
        'Where you pay the affiliate, as you entered it; null if you did not, or the affiliate entered details of their own',
      ),
    stats: affiliateStatsSchema.optional().describe('Balances; only with `include=stats`'),
  })
  .meta({ id: 'AffiliateDetail' });

export type AffiliateView = z.infer<typeof affiliateSchema>;
export type AffiliateStatsView = z.infer<typeof affiliateStatsSchema>;
export type AffiliateDetailView = z.infer<typeof affiliateDetailSchema>;

export const SORTS = ['createdAt', 'totalClicks', 'totalRevenue', 'name'] as const;
export type AffiliateSort = (typeof SORTS)[number];

const filters = withTextsOf(affiliateSchema, {
  includeBlocked: queryBoolean.optional().describe('Also return blocked affiliates. Default: false'),
  source: z.enum(SOURCES).optional(),
  email: queryAddress(254)
    .transform(normalizeEmail)
    .optional()
    .describe('Only the affiliates with this email address, in any case'),
  externalId: externalId.optional().describe('Only the affiliate with this id of your own in each program'),
});

export const programAffiliatesQuery = z.strictObject({ ...filters, ...pageQuery });

export const affiliatesQuery = z.strictObject({
  ...filters,
  programId: programFilter,
  search: queryAddress(100).optional().describe('Matches part of the code, name or email address'),
  status: z
    .enum(AFFILIATE_STATUSES)
    .optional()
    .describe('Only affiliates with this status. Default: those that are not blocked, or all with `includeBlocked`'),
  sortBy: z.enum(SORTS).optional().describe('Field to sort by. Default: createdAt'),
  sortOrder: z.enum(['asc', 'desc']).optional().describe('Default: desc (asc when sorting by name)'),
  ...pageQuery,
});

export const affiliateQuery = z.strictObject({
  include: z.enum(['stats']).optional().describe('Pass `stats` to add balances to the response. Default: without them'),
});

/** What a merchant may set on an affiliate, at the beginning or later. */
export const ownDataBody = withTextsOf(affiliateSchema, {
  externalId: externalId.nullable().optional(),
  metadata: ownMetadata.nullable().optional(),
});

export const updateAffiliateBody = z
  .strictObject(
    withTextsOf(affiliateSchema, {
      commissionPercent: percent
        .nullable()
        .optional()
        .describe(
          "Commission in percent of later sales, with at most two decimals, instead of the program's; null: the program's",
        ),
      payoutsPaused: z.boolean().optional(),
      ...ownDataBody,
      ...enteredDetailsBody,
    }),
  )
  .refine(namesOneAccount, ONE_ACCOUNT);

export const trustBody = z.strictObject({
  tier: z
    .enum(TRUST_TIERS)
    .describe('The new tier. A lower one makes the record count anew, and so does `new` for a new affiliate'),
});

export const blockBody = z.strictObject({
  reason: paragraph(500).optional().describe('Why the affiliate is blocked, for your own records. Default: none'),
});

export type AffiliateTotals = Pick<AffiliateView, 'totalClicks' | 'totalConversions' | 'totalRevenue' | 'totalEarnings'>;

/** An affiliate as an entity or as a row, without the fields of its profile and its totals. */
export type StoredAffiliate = Stored<Omit<AffiliateView, keyof Person | keyof AffiliateTotals>, 'blockedAt' | 'createdAt'>;

export interface Person {
  userId: string;
  name?: string | null | undefined;
  email: string;
}

export const toAffiliate = (affiliate: StoredAffiliate, person: Person, totals: AffiliateTotals): AffiliateView => ({
  id: affiliate.id,
  userId: person.userId,
  programId: affiliate.programId,
  name: person.name ?? null,
  email: person.email,
  code: affiliate.code,
  status: affiliate.status,
  source: affiliate.source,
  totalClicks: totals.totalClicks,
  totalConversions: totals.totalConversions,
  totalRevenue: totals.totalRevenue,
  totalEarnings: totals.totalEarnings,
  blockedAt: toIsoOrNull(affiliate.blockedAt),
  blockedReason: affiliate.blockedReason ?? null,
  commissionPercent: affiliate.commissionPercent ?? null,
  payoutsPaused: affiliate.payoutsPaused,
  trustTier: affiliate.trustTier,
  externalId: affiliate.externalId ?? null,
  metadata: affiliate.metadata ?? null,
  createdAt: toIso(affiliate.createdAt),
});
