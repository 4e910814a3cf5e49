import { z } from 'zod';
import { MAX_LANDING_PAGES } from '../../contracts/limits.ts';
import {
  APPLICATION_ACCESS,
  COMMISSION_TYPES,
  MARKETPLACE_STATUSES,
  PAYOUT_FREQUENCIES,
  PROGRAM_STATUSES,
  READINESS,
} from '../../contracts/programs.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  currency,
  line,
  paragraph,
  percent,
  storedUuid,
  timestamp,
  trackingParameters,
  webUrl,
} from '../../platform/http/schemas.ts';
import { isLandingPath } from './landing-path.ts';
import type { StripeConnectStart } from './use-cases/connect-stripe.ts';
import type { IssuedEventSecret } from './use-cases/issue-program-event-secret.ts';

const days = z.int().meta({ description: 'Days' });

export const programSchema = z
  .object({
    id: storedUuid,
    merchantId: storedUuid,
    name: z.string(),
    description: z.string().nullable(),
    slug: z.string(),
    website: z.string().nullable(),
    landingPageUrl: z.string().nullable(),
    allowedLandingPages: z.array(z.object({ path: z.string(), label: z.string() })),
    allowCustomDestinations: z.boolean(),
    portalSlug: z.string().nullable(),
    status: z.enum(PROGRAM_STATUSES),
    marketplaceStatus: z.enum(MARKETPLACE_STATUSES),
    applicationAccess: z.enum(APPLICATION_ACCESS),
    marketplaceCategory: z.string().nullable(),
    marketplaceDescription: z.string().nullable(),
    marketplaceLogoUrl: z.string().nullable(),
    commissionType: z.enum(COMMISSION_TYPES),
    commissionPercent: z.number(),
    commissionLimitMonths: z.int().nullable().meta({ description: 'Null unless commissionType is recurring_limited' }),
    commissionHoldDays: days,
    cookieDuration: days,
    trackingRequiresConsent: z.boolean().nullable(),
    trackingParamAliases: z.array(z.string()).nullable(),
    payoutThreshold: amountMinor,
    payoutFrequency: z.enum(PAYOUT_FREQUENCIES),
    currency: z.string().meta({ description: 'ISO 4217, lower case' }),
    autoApproveAffiliates: z.boolean(),
    reviewNewAffiliates: z.boolean(),
    termsUrl: z.string().nullable(),
    stripeAccountId: z.string().nullable(),
    stripeConnectedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Program' });

export const programUpdatedSchema = programSchema
  .extend({ updatedFields: z.array(z.string()).meta({ description: 'Names of the changed fields' }) })
  .meta({ id: 'ProgramUpdated' });

export const programDetailSchema = programSchema.extend({ readiness: z.enum(READINESS) }).meta({ id: 'ProgramDetail' });

export const eventSecretSchema = z
  .object({
    signingSecret: z.string().meta({ description: 'Shown only once' }),
    secretLastFour: z.string(),
    previousExpiresAt: timestamp.nullable().meta({ description: 'The previous secret stays valid until this time' }),
  })
  .meta({ id: 'ProgramEventSecret' });

const OAUTH_URL = 'oauth_url';

const connectMethod = z.literal(OAUTH_URL).meta({ description: 'How the account is connected: by OAuth in a browser' });

export const connectStripeBody = z.strictObject({
  method: connectMethod.optional().meta({ description: `How the account is connected. Default: ${OAUTH_URL}` }),
});

export const stripeConnectStartSchema = z
  .object({
    connected: z.boolean().meta({ description: 'Whether the program is connected already' }),
    method: connectMethod,
    programId: storedUuid,
    authUrl: z
      .url()
      .optional()
      .meta({ description: 'Open it in a browser within 30 minutes. Left out when the program is connected' }),
    message: z.string().meta({ description: 'What to do next' }),
  })
  .meta({ id: 'StripeConnectStart' });

export const stripeDisconnectedSchema = z
  .object({ success: z.literal(true).meta({ description: 'The program is not connected to Stripe' }), programId: storedUuid })
  .meta({ id: 'StripeDisconnected' });

export type ProgramView = z.infer<typeof programSchema>;
export type ProgramDetailView = z.infer<typeof programDetailSchema>;
export type EventSecretView = z.infer<typeof eventSecretSchema>;

const landingPages = z
  .array(
    z.strictObject({
      path: z
        .string()
        .max(500)
        .refine(isLandingPath, 'must be a path of the website, for example /pricing, without dot segments and fragments')
        .meta({ override: { pattern: '^/([^/\\\\#\\s][^\\\\#\\s]*)?$' } }),
      label: line(100),
    }),
  )
  .max(MAX_LANDING_PAGES)
  .refine((pages) => new Set(pages.map(({ path }) => path)).size === pages.length, 'must not contain the same path twice');

const settings = {
  name: line(100),
  commissionType: z.enum(COMMISSION_TYPES),
  commissionPercent: percent,
  description: paragraph(500).nullable(),
  website: webUrl.nullable(),
  landingPageUrl: webUrl.nullable(),
  allowedLandingPages: landingPages,
  allowCustomDestinations: z.boolean(),
  portalSlug: z
    .string()
    .regex(/^[a-z0-9-]{3,50}$/, 'must be 3 to 50 characters from a-z, 0-9 and -')
    .nullable(),
  marketplaceStatus: z.enum(MARKETPLACE_STATUSES),
  applicationAccess: z.enum(APPLICATION_ACCESS),
  marketplaceCategory: line(100).nullable(),
  marketplaceDescription: paragraph(2000).nullable(),
  marketplaceLogoUrl: webUrl.nullable(),
  commissionLimitMonths: z.int().min(1).max(36).nullable(),
  commissionHoldDays: z.int().min(0).max(365),
  cookieDuration: z.int().min(1).max(365),
  payoutThreshold: z.int().min(1_000).max(100_000).meta({ description: 'Integer minor units (cents)' }),
  payoutFrequency: z.enum(PAYOUT_FREQUENCIES),
  currency,
  autoApproveAffiliates: z.boolean(),
  reviewNewAffiliates: z.boolean(),
  termsUrl: webUrl.nullable(),
  trackingRequiresConsent: z.boolean().nullable(),
  trackingParamAliases: trackingParameters.nullable(),
};

export const programsQuery = z.strictObject({ status: z.enum(PROGRAM_STATUSES).optional(), ...pageQuery });

export const createProgramBody = z
  .strictObject(settings)
  .partial()
  .required({ name: true, commissionType: true, commissionPercent: true });

export const updateProgramBody = z.strictObject({ ...settings, status: z.enum(PROGRAM_STATUSES) }).partial();

/** A program as an entity or as a row. */
export type StoredProgram = Stored<ProgramView, 'stripeConnectedAt' | 'createdAt' | 'updatedAt'>;

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
  payoutThreshold: program.payoutThreshold,
  payoutFrequency: program.payoutFrequency,
  currency: program.currency,
  autoApproveAffiliates: program.autoApproveAffiliates,
  reviewNewAffiliates: program.reviewNewAffiliates,
  termsUrl: program.termsUrl ?? null,
  stripeAccountId: program.stripeAccountId ?? null,
  stripeConnectedAt: toIsoOrNull(program.stripeConnectedAt),
  createdAt: toIso(program.createdAt),
  updatedAt: toIso(program.updatedAt),
});

export const toEventSecret = (issued: IssuedEventSecret): EventSecretView => ({
  ...issued,
  previousExpiresAt: toIsoOrNull(issued.previousExpiresAt),
});

export const toStripeConnectStart = ({ program, authUrl }: StripeConnectStart): z.infer<typeof stripeConnectStartSchema> => ({
  connected: authUrl === null,
  method: OAUTH_URL,
  programId: program.id,
  ...(authUrl === null ? {} : { authUrl }),
  message:
    authUrl === null
      ? 'This program is connected to Stripe. Disconnect it first to connect another account.'
      : 'Open authUrl in a browser and grant access to your Stripe account.',
});
