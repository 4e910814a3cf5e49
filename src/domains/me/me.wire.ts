import { z } from 'zod';
import { MARKETPLACE_STATUSES, PROGRAM_STATUSES, READINESS } from '../../contracts/programs.ts';
import { type KeyType, SCOPES, type Scope } from '../../contracts/scopes.ts';
import { timestamp, uuid } from '../../platform/http/schemas.ts';

const OWNER_TYPES = ['merchant', 'affiliate'] as const;

/** A merchant's own key is called `full` here. */
const TOLD_TYPES = ['full', 'affiliate', 'onboarding'] as const;

const meKey = z.object({
  id: uuid,
  name: z.string(),
  keyType: z.enum(TOLD_TYPES),
  ownerType: z.enum(OWNER_TYPES),
  scopes: z.array(z.enum(SCOPES as [Scope, ...Scope[]])),
  prefix: z.string(),
  lastFour: z.string(),
  expiresAt: timestamp.nullable(),
});

const merchantOwner = z
  .object({
    merchantId: uuid,
    companyName: z.string(),
    email: z.string(),
    billingTier: z.string(),
    timezone: z.string(),
    onboardingCompleted: z.boolean(),
    onboardingStep: z.int(),
  })
  .meta({ id: 'MerchantOwner' });

const affiliateOwner = z
  .object({ affiliateId: uuid, email: z.string(), name: z.string().nullable() })
  .meta({ id: 'AffiliateOwner' });

const meProgram = z
  .object({
    id: uuid,
    name: z.string(),
    status: z.enum(PROGRAM_STATUSES),
    marketplaceStatus: z.enum(MARKETPLACE_STATUSES),
    readiness: z.enum(READINESS),
    website: z.string().nullable(),
    landingPageUrl: z.string().nullable(),
    stripeConnectedAt: timestamp.nullable(),
  })
  .meta({ id: 'MeProgram' });

export const meSchema = z
  .object({
    key: meKey,
    owner: z.union([merchantOwner, affiliateOwner]),
    programs: z.array(meProgram).optional().meta({ description: 'For merchants: the newest 100 programs that are not archived' }),
  })
  .meta({ id: 'Me' });

export type MeView = z.infer<typeof meSchema>;
export type MeKeyView = MeView['key'];
export type MerchantOwnerView = z.infer<typeof merchantOwner>;
export type AffiliateOwnerView = z.infer<typeof affiliateOwner>;

export const toldType = (keyType: KeyType): MeKeyView['keyType'] => (keyType === 'merchant' ? 'full' : keyType);

export const ownerTypeOf = (keyType: KeyType): MeKeyView['ownerType'] => (keyType === 'affiliate' ? 'affiliate' : 'merchant');

export const meExample: MeView = {
  key: {
    id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
    name: 'Backend',
    keyType: 'full',
    ownerType: 'merchant',
    scopes: ['programs:read', 'payouts:write'],
    prefix: 'ak_live_',
    lastFour: 'x7Qa',
    expiresAt: null,
  },
  owner: {
    merchantId: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310',
    companyName: 'Acme',
    email: 'ops@acme.example',
    billingTier: 'free',
    timezone: 'UTC',
    onboardingCompleted: false,
    onboardingStep: 1,
  },
  programs: [
    {
      id: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
      name: 'Acme Partners',
      status: 'active',
      marketplaceStatus: 'private',
      readiness: 'partial',
      website: 'https://acme.example',
      landingPageUrl: null,
      stripeConnectedAt: null,
    },
  ],
};
