import { z } from 'zod';
import { MARKETPLACE_PAGE_MAX } from '../../contracts/limits.ts';
import { MARKETPLACE_SORTS } from '../../contracts/marketplace.ts';
import { APPLICATION_ACCESS, COMMISSION_TYPES } from '../../contracts/programs.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { line, queryDecimal, queryInteger, storedUuid, timestamp } from '../../platform/http/schemas.ts';

export const marketplaceProgramSchema = z
  .object({
    id: storedUuid,
    programId: storedUuid,
    name: z.string(),
    companyName: z.string(),
    description: z.string().nullable(),
    category: z.string().nullable(),
    logoUrl: z.string().nullable(),
    website: z.string().nullable(),
    termsUrl: z.string().nullable(),
    commissionType: z.enum(COMMISSION_TYPES),
    commissionPercent: z.number(),
    commissionLimitMonths: z.int().nullable(),
    cookieDuration: z.int(),
    currency: z.string(),
    epc: z.number(),
    conversionRate: z.number(),
    applicationAccess: z.enum(APPLICATION_ACCESS),
    createdAt: timestamp,
  })
  .meta({ id: 'MarketplaceProgram' });

export type MarketplaceProgramView = z.infer<typeof marketplaceProgramSchema>;

const pageSize = queryInteger(1, MARKETPLACE_PAGE_MAX).optional();

export const marketplaceQuery = z.strictObject({
  category: line(100).optional(),
  minCommission: queryDecimal(100, 2).optional(),
  minEpc: queryDecimal(1_000_000, 4).optional(),
  sort: z.enum(MARKETPLACE_SORTS).optional(),
  ...pageQuery,
  limit: pageSize,
  pageSize,
});

/** Fractions as they are stored: integers that an index sorts. */
export const EPC_SCALE = 10_000;
export const PERCENT_SCALE = 100;

export type StoredMarketplaceProgram = Stored<Omit<MarketplaceProgramView, 'programId'>, 'createdAt'>;

export const toMarketplaceProgram = (program: StoredMarketplaceProgram): MarketplaceProgramView => ({
  id: program.id,
  programId: program.id,
  name: program.name,
  companyName: program.companyName,
  description: program.description ?? null,
  category: program.category ?? null,
  logoUrl: program.logoUrl ?? null,
  website: program.website ?? null,
  termsUrl: program.termsUrl ?? null,
  commissionType: program.commissionType,
  commissionPercent: program.commissionPercent,
  commissionLimitMonths: program.commissionLimitMonths ?? null,
  cookieDuration: program.cookieDuration,
  currency: program.currency,
  epc: program.epc / EPC_SCALE,
  conversionRate: program.conversionRate / PERCENT_SCALE,
  applicationAccess: program.applicationAccess,
  createdAt: toIso(program.createdAt),
});
