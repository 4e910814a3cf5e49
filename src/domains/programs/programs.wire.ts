import { z } from 'zod';
import {
  APPLICATION_ACCESS,
  type AutoPayouts,
  COMMISSION_TYPES,
  MARKETPLACE_STATUSES,
  PAYOUT_FREQUENCIES,
  PROGRAM_STATUSES,
  READINESS,
} from '../../contracts/programs.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id, merchantId, updatedAt } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  currency,
  MINOR_UNITS,
  nameLine,
  paragraph,
  percent,
  stringOrNull,
  timestampOrNull,
  trackingParameters,
  withTextsOf,
} from '../../platform/http/schemas.ts';
import { siteUrl, webUrl } from '../../platform/http/web-urls.ts';
import { autoPayoutsBody, autoPayoutsSchema, changedAutoPayoutsBody, toAutoPayouts } from './auto-payouts.wire.ts';
import {
  applicationFieldsBody,
  applicationFieldsSchema,
  embedOrigins,
  embedOriginsSchema,
  landingPages,
} from './list-settings.wire.ts';
import { THRESHOLDS } from './payout-threshold.rules.ts';

const days = z.int().describe('Days');

export const programSchema = z
  .object({
    id,
    merchantId,
    name: z.string().describe('Name shown to affiliates'),
    description: stringOrNull.describe('What the program offers; null if not set'),
    slug: z.string().describe('Identifier for URLs, generated from the name'),
    website: stringOrNull.describe(
      'Website of the product (http or https; `http://localhost` with any port only where `ENVIRONMENT` is not `production`); null if not set',
    ),
    landingPageUrl: stringOrNull.describe('Where affiliate links lead by default: as `website`; null if not set'),
    allowedLandingPages: z
      .array(
        z.object({
          path: z.string().describe('Path on the website, with its query if it has one, for example `/pricing`'),
          label: z.string().describe('Name of the page, shown to affiliates'),
        }),
      )
      .describe('Pages of the website that affiliates may link to, at most 50. Default: none'),
    allowCustomDestinations: z
      .boolean()
      .describe('Whether affiliates may link to any page of the website and its subdomains. Default: false'),
    portalSlug: stringOrNull.describe(
      'Name of the program in the URL of the page on which people join it, `/join/{portalSlug}`, and of an affiliate portal of your own: unique on this server, 3 to 50 characters from a-z, 0-9 and -; null: there is no such page',
    ),
    applicationFields: applicationFieldsSchema,
    status: z.enum(PROGRAM_STATUSES).describe('Only `active` programs credit sales to affiliates'),
    marketplaceStatus: z
      .enum(MARKETPLACE_STATUSES)
      .describe('Whether the program is listed in the marketplace. Default: private'),
    applicationAccess: z
      .enum(APPLICATION_ACCESS)
      .describe('Whether anyone may apply or only people with an invite. Default: open'),
    marketplaceCategory: stringOrNull.describe('Category in the marketplace; null if not set'),
    marketplaceDescription: stringOrNull.describe('Text in the marketplace; null if not set'),
    marketplaceLogoUrl: stringOrNull.describe('Logo in the marketplace (http or https); null if not set'),
    commissionType: z
      .enum(COMMISSION_TYPES)
      .describe(
        '`one_time`: the first payment of a customer. `recurring`: every payment. `recurring_limited`: payments within `commissionLimitMonths` of the first',
      ),
    commissionPercent: z.number().describe('Commission in percent of each sale, with at most two decimals'),
    commissionLimitMonths: z.int().nullable().describe('Null unless commissionType is recurring_limited'),
    commissionHoldDays: days.describe('Days after a sale until its commission can be paid. Default: 30'),
    cookieDuration: days.describe(
      "Days after a click in which a sale is credited. Default: the merchant's defaultCookieDuration",
    ),
    trackingRequiresConsent: z
      .boolean()
      .nullable()
      .describe("Whether clicks are tracked only with consent of the visitor. Default: null, the merchant's setting"),
    trackingParamAliases: z
      .array(z.string())
      .nullable()
      .describe(
        "Additional names of the query parameter that carries a referral code, at most 10, each 1 to 32 characters from a-z, 0-9, _ and -. Default: null, the merchant's",
      ),
    embedOrigins: embedOriginsSchema,
    payoutThreshold: amountMinor.describe(
      "Minimum payout: 1,000 to 100,000 in a currency with two decimals, 10 to 100,000 in one without, 10,000 to 1,000,000 in one with three. Default: the merchant's defaultPayoutThreshold, within these limits",
    ),
    payoutFrequency: z
      .enum(PAYOUT_FREQUENCIES)
      .describe(
        'How often you intend to pay, shown to affiliates: no payout is created by it without `autoPayouts`. Default: monthly',
      ),
    autoPayouts: autoPayoutsSchema,
    currency: z.string().describe('Currency of all sales and payouts: ISO 4217 code, lower case'),
    autoApproveAffiliates: z.boolean().describe('Whether applications are approved automatically. Default: false'),
    reviewNewAffiliates: z
      .boolean()
      .describe('Whether every conversion of an affiliate with the trust tier `new` waits for a manual review. Default: false'),
    joinCustomersByEmail: z
      .boolean()
      .describe(
        'Whether payments and sign-ups with the same email address are of one customer, whatever ids they have. All spellings of a mailbox are the same address. Default: true',
      ),
    termsUrl: stringOrNull.describe('URL of the terms; null if there are none'),
    stripeAccountId: stringOrNull.describe('Connected Stripe account; null if there is none'),
    stripeConnectedAt: timestampOrNull.describe('When Stripe was connected; null if it is not'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Program' });

export const programUpdatedSchema = programSchema
  .extend({ updatedFields: z.array(z.string()).describe('Names of the changed fields') })
  .meta({ id: 'ProgramUpdated' });

export const programDetailSchema = programSchema
  .extend({
    readiness: z
      .enum(READINESS)
      .describe(
        '`setup`: neither website nor payment source. `ready`: payment source, tracked click and affiliate. `partial`: between',
      ),
  })
  .meta({ id: 'ProgramDetail' });

export type ProgramView = z.infer<typeof programSchema>;
export type ProgramDetailView = z.infer<typeof programDetailSchema>;

export const portalSlug = z.string().regex(/^[a-z0-9-]{3,50}$/, 'must be 3 to 50 characters from a-z, 0-9 and -');

const settings = withTextsOf(programSchema, {
  name: nameLine(100),
  commissionType: programSchema.shape.commissionType,
  commissionPercent: percent,
  description: paragraph(500).nullable(),
  website: siteUrl.nullable(),
  landingPageUrl: siteUrl.nullable(),
  allowedLandingPages: landingPages,
  allowCustomDestinations: programSchema.shape.allowCustomDestinations,
  portalSlug: portalSlug.nullable(),
  applicationFields: applicationFieldsBody,
  marketplaceStatus: programSchema.shape.marketplaceStatus,
  applicationAccess: programSchema.shape.applicationAccess,
  marketplaceCategory: nameLine(100).nullable(),
  marketplaceDescription: paragraph(2000).nullable(),
  marketplaceLogoUrl: webUrl.nullable(),
  commissionLimitMonths: z
    .int()
    .min(1)
    .max(36)
    .nullable()
    .describe('Months in which payments earn a commission. Only with commissionType recurring_limited. Default: 12'),
  commissionHoldDays: z.int().min(0).max(365),
  cookieDuration: z.int().min(1).max(365),
  payoutThreshold: z.int().min(THRESHOLDS.min).max(THRESHOLDS.max).meta(MINOR_UNITS),
  payoutFrequency: programSchema.shape.payoutFrequency,
  autoPayouts: autoPayoutsBody,
  currency: currency.describe('Currency of all sales and payouts, locked after the first sale or adjustment. Default: usd'),
  autoApproveAffiliates: programSchema.shape.autoApproveAffiliates,
  reviewNewAffiliates: programSchema.shape.reviewNewAffiliates,
  joinCustomersByEmail: programSchema.shape.joinCustomersByEmail,
  termsUrl: webUrl.nullable(),
  trackingRequiresConsent: programSchema.shape.trackingRequiresConsent,
  trackingParamAliases: trackingParameters.nullable(),
  embedOrigins,
});

export const programsQuery = z.strictObject({
  status: z.enum(PROGRAM_STATUSES).optional().describe('Only programs with this status. Default: all that are not archived'),
  ...pageQuery,
});

export const createProgramBody = z
  .strictObject(settings)
  .partial()
  .required({ name: true, commissionType: true, commissionPercent: true });

export const updateProgramBody = z
  .strictObject({
    ...settings,
    commissionLimitMonths: settings.commissionLimitMonths.describe(
      'Months in which payments earn a commission. Only with commissionType recurring_limited. Left out: unchanged, or 12 for a program that had no limit',
    ),
    autoPayouts: changedAutoPayoutsBody,
    currency: currency.describe('Currency of all sales and payouts; 409 after the first sale or adjustment'),
    status: programSchema.shape.status,
  })
  .partial();

/** A program as an entity or as a row. */
export type StoredProgram = Stored<Omit<ProgramView, 'autoPayouts'>, 'stripeConnectedAt' | 'createdAt' | 'updatedAt'> & {
  autoPayouts?: AutoPayouts | null;
};

export const toProgram = (program: StoredProgram): ProgramView => ({
  id: program.id,
  merchantId: program.merchantId,
  name: program.name,
  description: program.description ?? null,
  slug: program.slug,
  website: program.website ?? null,
  landingPageUrl: program.landingPageUrl ?? null,
  allowedLandingPages: program.allowedLandingPages,
  allowCustomDestinations: program.allowCustomDestinations,
  portalSlug: program.portalSlug ?? null,
  applicationFields: program.applicationFields,
  status: program.status,
  marketplaceStatus: program.marketplaceStatus,
  applicationAccess: program.applicationAccess,
  marketplaceCategory: program.marketplaceCategory ?? null,
  marketplaceDescription: program.marketplaceDescription ?? null,
  marketplaceLogoUrl: program.marketplaceLogoUrl ?? null,
  commissionType: program.commissionType,
  commissionPercent: program.commissionPercent,
  commissionLimitMonths: program.commissionLimitMonths ?? null,
  commissionHoldDays: program.commissionHoldDays,
  cookieDuration: program.cookieDuration,
  trackingRequiresConsent: program.trackingRequiresConsent ?? null,
  trackingParamAliases: program.trackingParamAliases ?? null,
  embedOrigins: program.embedOrigins,
  payoutThreshold: program.payoutThreshold,
  payoutFrequency: program.payoutFrequency,
  autoPayouts: toAutoPayouts(program.autoPayouts),
  currency: program.currency,
  autoApproveAffiliates: program.autoApproveAffiliates,
  reviewNewAffiliates: program.reviewNewAffiliates,
  joinCustomersByEmail: program.joinCustomersByEmail,
  termsUrl: program.termsUrl ?? null,
  stripeAccountId: program.stripeAccountId ?? null,
  stripeConnectedAt: toIsoOrNull(program.stripeConnectedAt),
  createdAt: toIso(program.createdAt),
  updatedAt: toIso(program.updatedAt),
});
