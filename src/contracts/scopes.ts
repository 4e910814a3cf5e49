/** Key types, scopes and presets of the specification, section 5. */
export const MERCHANT_SCOPES = [
  'merchant:read',
  'merchant:manage',
  'programs:read',
  'programs:write',
  'affiliates:read',
  'affiliates:manage',
  'conversions:read',
  'payouts:read',
  'payouts:write',
  'stats:read',
  'billing:read',
  'billing:write',
  'flags:read',
  'flags:write',
  'webhooks:read',
  'webhooks:write',
  'marketing_resources:read',
  'marketing_resources:write',
  'invites:claim',
] as const;

export const AFFILIATE_SCOPES = [
  'profile:read',
  'profile:write',
  'links:read',
  'links:write',
  'earnings:read',
  'conversions:read',
  'payouts:read',
  'stats:read',
  'marketplace:read',
  'marketplace:apply',
  'marketing_resources:read',
  'invites:claim',
] as const;

export type MerchantScope = (typeof MERCHANT_SCOPES)[number];
export type AffiliateScope = (typeof AFFILIATE_SCOPES)[number];
export type Scope = MerchantScope | AffiliateScope;

export const SCOPES: readonly Scope[] = [...new Set<Scope>([...MERCHANT_SCOPES, ...AFFILIATE_SCOPES])];

export const KEY_TYPES = ['merchant', 'affiliate', 'onboarding'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

export const KEY_PREFIXES = { merchant: 'ak_live_', affiliate: 'ak_aff_', onboarding: 'ak_onb_' } as const;

/** The scopes that a key of each type can have. */
export const SCOPES_OF: Record<KeyType, readonly Scope[]> = {
  merchant: MERCHANT_SCOPES,
  affiliate: AFFILIATE_SCOPES,
  onboarding: ['merchant:manage', 'programs:read', 'programs:write'],
};

export const PRESETS = ['merchant:full', 'affiliate:full', 'readonly'] as const;
export type Preset = (typeof PRESETS)[number];

const isRead = (scope: Scope) => scope.endsWith(':read');

/** The scopes of a preset, before they are reduced to those that the key type can have. */
export const SCOPES_OF_PRESET: Record<Preset, readonly Scope[]> = {
  'merchant:full': MERCHANT_SCOPES,
  'affiliate:full': AFFILIATE_SCOPES,
  readonly: SCOPES.filter(isRead),
};
