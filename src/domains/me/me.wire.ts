import { z } from 'zod';
import { MARKETPLACE_STATUSES, PROGRAM_STATUSES, READINESS } from '../../contracts/programs.ts';
import { type KeyType, SCOPES, type Scope } from '../../contracts/scopes.ts';
import { storedUuid, timestamp } from '../../platform/http/schemas.ts';

const OWNER_TYPES = ['merchant', 'affiliate'] as const;

/** `/me` names the key type `merchant` "full". */
const PUBLIC_KEY_TYPES = ['full', 'affiliate', 'onboarding'] as const;

const meKey = z.object({
  id: storedUuid,
  name: z.string(),
  keyType: z.enum(PUBLIC_KEY_TYPES),
  ownerType: z.enum(OWNER_TYPES),
  scopes: z.array(z.enum(SCOPES as [Scope, ...Scope[]])),
  prefix: z.string(),
  lastFour: z.string(),
  expiresAt: timestamp.nullable(),
});

const merchantOwner = z
  .object({
    merchantId: storedUuid,
    companyName: z.string(),
    email: z.string(),
    billingTier: z.string(),
    timezone: z.string(),
    onboardingCompleted: z.boolean(),
    onboardingStep: z.int(),
  })
  .meta({ id: 'MerchantOwner' });

const affiliateOwner = z
  .object({ affiliateId: storedUuid, email: z.string(), name: z.string().nullable() })
  .meta({ id: 'AffiliateOwner' });

const meProgram = z
  .object({
    id: storedUuid,
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
    programs: z
      .array(meProgram)
      .optional()
      .meta({ description: 'Only for merchant and onboarding keys: the 100 most recent programs that are not archived' }),
  })
  .meta({ id: 'Me' });

export type MeView = z.infer<typeof meSchema>;
export type MeKeyView = MeView['key'];
export type MerchantOwnerView = z.infer<typeof merchantOwner>;
export type AffiliateOwnerView = z.infer<typeof affiliateOwner>;

export const toPublicKeyType = (keyType: KeyType): MeKeyView['keyType'] => (keyType === 'merchant' ? 'full' : keyType);

export const toOwnerType = (keyType: KeyType): MeKeyView['ownerType'] => (keyType === 'affiliate' ? 'affiliate' : 'merchant');
