import { z } from 'zod';
import { READINESS } from '../../contracts/programs.ts';
import { type KeyType, SCOPES, type Scope } from '../../contracts/scopes.ts';
import { companyName, email, id, merchantId } from '../../platform/http/fields.ts';
import { storedUuid, timestampOrNull } from '../../platform/http/schemas.ts';
import { affiliateSchema } from '../affiliates/index.ts';
import { merchantSchema } from '../merchants/index.ts';
import { programSchema } from '../programs/index.ts';

const OWNER_TYPES = ['merchant', 'affiliate'] as const;

/** `/me` names the key type `merchant` "full". */
const PUBLIC_KEY_TYPES = ['full', 'affiliate', 'onboarding'] as const;

const meKey = z
  .object({
    id,
    name: z.string().describe('Name for display'),
    keyType: z.enum(PUBLIC_KEY_TYPES).describe('Type of the key; a merchant key is `full` here'),
    ownerType: z.enum(OWNER_TYPES).describe('Whether the key belongs to a merchant or an affiliate'),
    scopes: z.array(z.enum(SCOPES as [Scope, ...Scope[]])).describe('Permissions of the key'),
    prefix: z.string().describe('Beginning of the key, which shows its type'),
    lastFour: z.string().describe('Last four characters of the key'),
    expiresAt: timestampOrNull.describe('The key stops working at this time; null if it does not expire'),
  })
  .describe('The API key, without its value');

const merchantOwner = z
  .object({
    merchantId,
    companyName,
    email,
    billingTier: z.string().describe('Billing tier, which sets the rate limit'),
    timezone: z.string().describe('IANA time zone, for example `Europe/Berlin`'),
    onboardingCompleted: merchantSchema.shape.onboardingCompleted,
    onboardingStep: merchantSchema.shape.onboardingStep,
  })
  .meta({ id: 'MerchantOwner' });

const affiliateOwner = z
  .object({
    affiliateId: storedUuid.describe(
      'The profile of the person, shared by all programs. This is not the `affiliateId` of other objects, which is the membership in one program',
    ),
    email,
    name: affiliateSchema.shape.name,
  })
  .meta({ id: 'AffiliateOwner' });

const meProgram = z
  .object({
    id,
    name: z.string().describe('Name for display'),
    status: programSchema.shape.status,
    marketplaceStatus: programSchema.shape.marketplaceStatus,
    readiness: z
      .enum(READINESS)
      .describe(
        '`setup`: neither website nor payment source. `ready`: payment source, tracked click and affiliate. `partial`: between',
      ),
    website: programSchema.shape.website,
    landingPageUrl: programSchema.shape.landingPageUrl,
    stripeConnectedAt: programSchema.shape.stripeConnectedAt,
  })
  .meta({ id: 'MeProgram' });

export const meSchema = z
  .object({
    key: meKey,
    owner: z.union([merchantOwner, affiliateOwner]).describe('Merchant or affiliate that the key belongs to'),
    programs: z
      .array(meProgram)
      .optional()
      .describe('Only for merchant and onboarding keys: the 100 most recent programs that are not archived'),
  })
  .meta({ id: 'Me' });

export type MeView = z.infer<typeof meSchema>;
export type MeKeyView = MeView['key'];
export type MerchantOwnerView = z.infer<typeof merchantOwner>;
export type AffiliateOwnerView = z.infer<typeof affiliateOwner>;

export const toPublicKeyType = (keyType: KeyType): MeKeyView['keyType'] => (keyType === 'merchant' ? 'full' : keyType);

export const toOwnerType = (keyType: KeyType): MeKeyView['ownerType'] => (keyType === 'affiliate' ? 'affiliate' : 'merchant');
