import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { conflict, invariant } from '../../platform/errors.ts';
import { findOrCreateProfile } from '../affiliates/index.ts';
import type { ProgramRecord } from '../programs/index.ts';

/** Whoever claims an invite. */
export interface Claimant {
  id: string;
  /** Lower case. */
  email: string;
}

/** The person of an affiliate key, or the profile with the merchant's email address. OWN_PROGRAM for the program's merchant. */
export const getClaimant = async (ctx: Context, program: ProgramRecord): Promise<Claimant> => {
  const { keyType, ownerId } = callerOf(ctx);
  if (keyType === 'affiliate') return getPerson(ctx, ownerId);
  if (ownerId === program.merchantId) throw conflict('OWN_PROGRAM', 'A merchant cannot join their own program');
  return findOrCreateProfile(ctx, await getContact(ctx, ownerId));
};

const getPerson = async (ctx: Context, profileId: string): Promise<Claimant> => {
  const person = await firstRow(ctx.em, sql<Claimant>`select id, email from affiliate_profile where id = ${profileId}::uuid`);
  invariant(person, 'an affiliate key belongs to a profile');
  return person;
};

const getContact = async (ctx: Context, merchantId: string): Promise<{ email: string; name: string }> => {
  const contact = await firstRow(
    ctx.em,
    sql<{ email: string; name: string }>`select email, company_name as name from merchant where id = ${merchantId}::uuid`,
  );
  invariant(contact, 'a merchant key belongs to a merchant');
  return contact;
};
