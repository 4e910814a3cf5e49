import { z } from 'zod';
import { AFFILIATE_STATUSES, SOURCES } from '../../contracts/affiliates.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, line, paragraph, queryBoolean, timestamp, uuid } from '../../platform/http/schemas.ts';

export const affiliateSchema = z
  .object({
    id: uuid,
    userId: uuid,
    programId: uuid,
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
    createdAt: timestamp,
  })
  .meta({ id: 'Affiliate' });

export const affiliateStatsSchema = z
  .object({
    currency: z.string(),
    totalRevenue: amountMinor,
    pending: amountMinor,
    payable: amountMinor.meta({ description: 'Below zero while refunds after a payout still owe' }),
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

const ownFilters = { includeBlocked: queryBoolean.optional(), source: z.enum(SOURCES).optional() };

export const programAffiliatesQuery = z.strictObject({ ...ownFilters, ...pageQuery });

export const affiliatesQuery = z.strictObject({
  ...ownFilters,
  programId: uuid.optional(),
  search: line(100).optional().meta({ description: 'Part of a code, name or e-mail address' }),
  status: z.enum(AFFILIATE_STATUSES).optional(),
  sortBy: z.enum(SORTS).optional(),
  sortOrder: z.enum(['asc', 'desc']).optional().meta({ description: 'desc, for names asc' }),
  ...pageQuery,
});

export const affiliateQuery = z.strictObject({ include: z.enum(['stats']).optional() });

export const blockBody = z.strictObject({ reason: paragraph(500).optional() });

/** A membership as an entity or as a row: they differ in how they hold times. */
export interface AffiliateLike
  extends Omit<AffiliateView, 'userId' | 'name' | 'email' | 'blockedAt' | 'blockedReason' | 'createdAt'> {
  blockedAt?: Date | string | null | undefined;
  blockedReason?: string | null | undefined;
  createdAt: Date | string;
}

export interface PersonLike {
  userId: string;
  name?: string | null | undefined;
  email: string;
}

const iso = (time: Date | string): string => new Date(time).toISOString();

export const toAffiliate = (affiliate: AffiliateLike, person: PersonLike): AffiliateView => ({
  id: affiliate.id,
  userId: person.userId,
  programId: affiliate.programId,
  name: person.name ?? null,
  email: person.email,
  code: affiliate.code,
  status: affiliate.status,
  source: affiliate.source,
  totalClicks: affiliate.totalClicks,
  totalConversions: affiliate.totalConversions,
  totalRevenue: affiliate.totalRevenue,
  totalEarnings: affiliate.totalEarnings,
  blockedAt: affiliate.blockedAt ? iso(affiliate.blockedAt) : null,
  blockedReason: affiliate.blockedReason ?? null,
  createdAt: iso(affiliate.createdAt),
});
