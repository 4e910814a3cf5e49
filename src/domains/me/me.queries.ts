import type { KeyType, Scope } from '../../contracts/scopes.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { listProgramSummaries } from '../programs/index.ts';
import {
  type AffiliateOwnerView,
  type MeKeyView,
  type MerchantOwnerView,
  type MeView,
  toOwnerType,
  toPublicKeyType,
} from './me.wire.ts';

/** The API key in use, its owner and, for merchant and onboarding keys, the merchant's programs. */
export const getMe = async (ctx: Context): Promise<MeView> => {
  const { keyId, keyType, ownerId } = callerOf(ctx);
  const key = await getKey(ctx, keyId);
  if (keyType === 'affiliate') return { key, owner: await getAffiliateOwner(ctx, ownerId) };
  return { key, owner: await getMerchantOwner(ctx, ownerId), programs: await listProgramSummaries(ctx, ownerId) };
};

interface KeyRow {
  id: string;
  name: string;
  keyType: KeyType;
  scopes: Scope[];
  prefix: string;
  lastFour: string;
  expiresAt: string | null;
}

const getKey = async (ctx: Context, id: string): Promise<MeKeyView> => {
  const row = await firstRow(
    ctx.em,
    sql<KeyRow>`select id, name, key_type as "keyType", scopes, prefix, last_four as "lastFour", expires_at as "expiresAt"
      from api_key where id = ${id}::uuid`,
  );
  invariant(row, 'the key of a request exists');
  return {
    ...row,
    keyType: toPublicKeyType(row.keyType),
    ownerType: toOwnerType(row.keyType),
    expiresAt: toIsoOrNull(row.expiresAt),
  };
};

const getMerchantOwner = async (ctx: Context, id: string): Promise<MerchantOwnerView> => {
  const row = await firstRow(
    ctx.em,
    sql<MerchantOwnerView>`
      select id as "merchantId", company_name as "companyName", email, billing_tier as "billingTier", timezone,
        onboarding_completed as "onboardingCompleted", onboarding_step as "onboardingStep"
      from merchant where id = ${id}::uuid`,
  );
  invariant(row, 'a merchant key belongs to a merchant');
  return row;
};

const getAffiliateOwner = async (ctx: Context, id: string): Promise<AffiliateOwnerView> => {
  const row = await firstRow(
    ctx.em,
    sql<AffiliateOwnerView>`select id as "affiliateId", email, name from affiliate_profile where id = ${id}::uuid`,
  );
  invariant(row, 'an affiliate key belongs to a profile');
  return row;
};
