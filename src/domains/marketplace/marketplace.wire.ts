import { z } from 'zod';
import { decimalsOf } from '../../contracts/currencies.ts';
import { MARKETPLACE_PAGE_MAX } from '../../contracts/limits.ts';
import { MARKETPLACE_SORTS } from '../../contracts/marketplace.ts';
import { APPLICATION_ACCESS } from '../../contracts/programs.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { companyName, createdAt } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { line, queryDecimal, queryInteger, storedUuid, stringOrNull } from '../../platform/http/schemas.ts';
import { programSchema } from '../programs/index.ts';

export const marketplaceProgramSchema = z
  .object({
    id: storedUuid.describe('Id of the program'),
    programId: storedUuid.describe('Id of the program, same as `id`'),
    name: z.string().describe('Name of the program'),
    companyName,
    description: stringOrNull.describe('Text in the marketplace, or else what the program offers; null if neither is set'),
    category: stringOrNull.describe('Category as the merchant wrote it; null if not set'),
    logoUrl: stringOrNull.describe('Logo in the marketplace, or else of the merchant (http or https); null if neither is set'),
    website: programSchema.shape.website,
    termsUrl: programSchema.shape.termsUrl,
    commissionType: programSchema.shape.commissionType,
    commissionPercent: programSchema.shape.commissionPercent,
    commissionLimitMonths: z
      .int()
      .nullable()
      .describe('Months in which payments earn a commission. Only with commissionType recurring_limited. Default: 12'),
    cookieDuration: z
      .int()
      .describe("Days after a click in which a sale is credited. Default: the merchant's defaultCookieDuration"),
    currency: z.string().describe('Currency of the program and of its `epc`: ISO 4217 code, lower case'),
    epc: z
      .number()
      .describe(
        'Earnings per click: commissions of the last 30 days, divided by the clicks. In main units of the currency (dollars for usd), unlike amounts: see `epcMinor`; 0 without clicks',
      ),
    epcMinor: z.number().describe('The same in minor units of the currency (cents for usd), with its fractions'),
    conversionRate: z
      .number()
      .describe('Sales of the last 30 days that came by a click, in percent of the clicks; 0 without clicks'),
    applicationAccess: z.enum(APPLICATION_ACCESS).describe('Whether anyone may apply or only people with an invite'),
    createdAt,
  })
  .meta({ id: 'MarketplaceProgram' });

export type MarketplaceProgramView = z.infer<typeof marketplaceProgramSchema>;

const pageSize = queryInteger(1, MARKETPLACE_PAGE_MAX).optional();

export const marketplaceQuery = z.strictObject({
  category: line(100).optional().describe('Only programs of this category, in any case'),
  minCommission: queryDecimal(100, 2).optional().describe('Only programs that pay at least this percent'),
  minEpc: queryDecimal(1_000_000, 4)
    .optional()
    .describe('Only programs with at least this `epc`, in units of their currency (dollars for usd), not cents'),
  sort: z.enum(MARKETPLACE_SORTS).optional().describe('Highest first; `newest` by time of creation. Default: epc'),
  ...pageQuery,
  limit: pageSize.describe('Maximum number of items. Default: 20. Cannot be combined with `pageSize`'),
  pageSize: pageSize.describe('Items per page. Default: 20. Cannot be combined with `limit`, `cursor` or `offset`'),
});

/** Fractions as they are stored: integers that an index sorts. */
export const EPC_SCALE = 10_000;
export const PERCENT_SCALE = 100;

export type StoredMarketplaceProgram = Stored<Omit<MarketplaceProgramView, 'programId' | 'epcMinor'>, 'createdAt'>;

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
  epcMinor: (program.epc * 10 ** decimalsOf(program.currency)) / EPC_SCALE,
  conversionRate: program.conversionRate / PERCENT_SCALE,
  applicationAccess: program.applicationAccess,
  createdAt: toIso(program.createdAt),
});
