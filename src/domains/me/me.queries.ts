import type { Scope } from '../../contracts/scopes.ts';
import { type Context, callerOf, type PersonActor } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow, toIsoOrNull } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { listProgramSummaries } from '../programs/index.ts';
import { db } from '../tables.ts';
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
  const caller = callerOf(ctx);
  const { keyType, ownerId } = caller;
  invariant(caller.kind !== 'embed', 'embedded pages do not ask for their key');
  const key = caller.kind === 'key' ? await getKey(ctx, caller.keyId) : await getPerson(ctx, caller);
  if (keyType === 'affiliate') return { key, owner: await getAffiliateOwner(ctx, ownerId) };
  return { key, owner: await getMerchantOwner(ctx, ownerId), programs: await listProgramSummaries(ctx, ownerId) };
};

const keyById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('api_key').select(['id', 'name', 'keyType', 'scopes', 'prefix', 'lastFour', 'expiresAt']).where('id', '=', id),
);

const getKey = async (ctx: Context, id: string): Promise<MeKeyView> => {
  const row = await firstRow(ctx.em, keyById({ id }));
  invariant(row, 'the key of a request exists');
  return {
    ...row,
    keyType: toPublicKeyType(row.keyType),
    ownerType: toOwnerType(row.keyType),
    expiresAt: toIsoOrNull(row.expiresAt),
  };
};

/** A person has no key: what stands in its place are their rights. */
const getPerson = async (ctx: Context, { personId: id, keyType, scopes }: PersonActor): Promise<MeKeyView> => {
  const row = await firstRow(ctx.em, db.selectFrom('person').select('name').where('id', '=', id));
  invariant(row, 'the person of a request exists');
  const type = { keyType: toPublicKeyType(keyType), ownerType: toOwnerType(keyType) };
  return { id, name: row.name, ...type, scopes: [...scopes] as Scope[], prefix: '', lastFour: '', expiresAt: null };
};

const merchantById = compileOnce(({ id }: Given<{ id: string }>) =>
  db
    .selectFrom('merchant')
    .select(['id as merchantId', 'companyName', 'email', 'billingTier', 'timezone', 'onboardingCompleted', 'onboardingStep'])
    .where('id', '=', id),
);

const getMerchantOwner = async (ctx: Context, id: string): Promise<MerchantOwnerView> => {
  const row = await firstRow(ctx.em, merchantById({ id }));
  invariant(row, 'a merchant key belongs to a merchant');
  return row;
};

const profileById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('affiliate_profile').select(['id as affiliateId', 'email', 'name']).where('id', '=', id),
);

const getAffiliateOwner = async (ctx: Context, id: string): Promise<AffiliateOwnerView> => {
  const row = await firstRow(ctx.em, profileById({ id }));
  invariant(row, 'an affiliate key belongs to a profile');
  return row;
};
