import type { KeyType, Scope } from '../../contracts/scopes.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { listProgramCards } from '../programs/index.ts';
import {
  type AffiliateOwnerView,
  type MeKeyView,
  type MerchantOwnerView,
  type MeView,
  ownerTypeOf,
  toldType,
} from './me.wire.ts';

/** The key in use, who owns it, and for merchants and onboarding keys their programs. */
export const getMe = async (ctx: Context): Promise<MeView> => {
  const { keyId, keyType, ownerId } = callerOf(ctx);
  const key = await readKey(ctx, keyId);
  if (keyType === 'affiliate') return { key, owner: await readAffiliate(ctx, ownerId) };
  return { key, owner: await readMerchant(ctx, ownerId), programs: await listProgramCards(ctx, ownerId) };
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

const readKey = async (ctx: Context, id: string): Promise<MeKeyView> => {
  const row = await firstRow(
    ctx.em,
    sql<KeyRow>`select id, name, key_type as "keyType", scopes, prefix, last_four as "lastFour", expires_at as "expiresAt"
      from api_key where id = ${id}::uuid`,
  );
  invariant(row, 'the key of a request exists');
  return {
    ...row,
    keyType: toldType(row.keyType),
    ownerType: ownerTypeOf(row.keyType),
    expiresAt: toIsoOrNull(row.expiresAt),
  };
};

const readMerchant = async (ctx: Context, id: string): Promise<MerchantOwnerView> => {
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

const readAffiliate = async (ctx: Context, id: string): Promise<AffiliateOwnerView> => {
  const row = await firstRow(
    ctx.em,
    sql<AffiliateOwnerView>`select id as "affiliateId", email, name from affiliate_profile where id = ${id}::uuid`,
  );
  invariant(row, 'an affiliate key belongs to a profile');
  return row;
};
