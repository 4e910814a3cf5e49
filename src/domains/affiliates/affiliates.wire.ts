import { z } from 'zod';
import { AFFILIATE_STATUSES, SOURCES, TRUST_TIERS } from '../../contracts/affiliates.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, line, paragraph, percent, queryBoolean, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';

export const affiliateSchema = z
  .object({
    id: storedUuid,
    userId: storedUuid,
    programId: storedUuid,
    name: z.string().nullable(),
    email: z.string(),
    code: z.string(),
    status: z.enum(AFFILIATE_STATUSES),
    source: z.enum(SOURCES),
    totalClicks: z.int(),
    totalConversions: z.int(),
    totalRevenue: amountMinor,
    totalEarnings: amountMinor,
    blockedAt: timestamp.nullable(),
    blockedReason: z.string().nullable(),
    commissionPercent: z.number().nullable(),
    payoutsPaused: z.boolean(),
    trustTier: z.enum(TRUST_TIERS),
    createdAt: timestamp,
  })
  .meta({ id: 'Affiliate' });

export const affiliateStatsSchema = z
  .object({
    currency: z.string(),
    totalRevenue: amountMinor,
    pending: amountMinor,
    payable: amountMinor.meta({
      description:
        'Approved and unpaid: what a payout pays, in integer minor units. Negative when refunds and adjustments exceed unpaid commissions',
    }),
    inPayout: amountMinor,
    paid: amountMinor,
  })
  .meta({ id: 'AffiliateStats' });

export const affiliateDetailSchema = affiliateSchema
  .extend({ stats: affiliateStatsSchema.optional() })
  .meta({ id: 'AffiliateDetail' });

export type AffiliateView = z.infer<typeof affiliateSchema>;
export type AffiliateStatsView = z.infer<typeof affiliateStatsSchema>;
export type AffiliateDetailView = z.infer<typeof affiliateDetailSchema>;

export const SORTS = ['createdAt', 'totalClicks', 'totalRevenue', 'name'] as const;
export type AffiliateSort = (typeof SORTS)[number];

const filters = {
  includeBlocked: queryBoolean.optional().meta({ description: 'Also return blocked affiliates. Default: false' }),
  source: z.enum(SOURCES).optional(),
};

export const programAffiliatesQuery = z.strictObject({ ...filters, ...pageQuery });

export const affiliatesQuery = z.strictObject({
  ...filters,
  programId: uuid.optional(),
  search: line(100).optional().meta({ description: 'Matches part of the code, name or email address' }),
  status: z.enum(AFFILIATE_STATUSES).optional(),
  sortBy: z.enum(SORTS).optional(),
  sortOrder: z.enum(['asc', 'desc']).optional().meta({ description: 'Default: desc (asc when sorting by name)' }),
  ...pageQuery,
});

export const affiliateQuery = z.strictObject({ include: z.enum(['stats']).optional() });

export const updateAffiliateBody = z.strictObject({
  commissionPercent: percent.nullable().optional(),
  payoutsPaused: z.boolean().optional(),
});

export const trustBody = z.strictObject({ tier: z.enum(TRUST_TIERS) });

export const blockBody = z.strictObject({ reason: paragraph(500).optional() });

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
  createdAt: toIso(affiliate.createdAt),
});
