import { recordChange } from '../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import type { ErasedPerson } from '../../platform/erasure.ts';
import { eraseProfile as eraseAffiliateProfile } from '../affiliates/index.ts';
import { eraseApplications, withdrawAllApplications } from '../applications/index.ts';
import { eraseKeys } from '../auth/index.ts';
import { eraseAdjustmentNotes, eraseProblemNotes } from '../conversions/index.ts';
import { eraseFlags } from '../flags/index.ts';
import { eraseInviteNames, eraseInvites } from '../invites/index.ts';
import { eraseLinks } from '../links/index.ts';
import { eraseRunItems } from '../payout-runs/index.ts';
import { erasePayoutNotes } from '../payouts/index.ts';

/** Of an address, in lower case. A template: arrays of aggregates. */
export const findNames = async (ctx: Context, address: string): Promise<Pick<ErasedPerson, 'members' | 'names'>> => {
  const found = await firstRow(
    ctx.em,
    sql<{
      members: string[];
      names: string[];
    }>`select coalesce(array_agg(a.id::text) filter (where a.id is not null), '{}') as members,
        array_remove(array_agg(distinct a.name) || array_agg(distinct f.name), null) as names
      from affiliate_profile f left join affiliate a on a.profile_id = f.id where lower(f.email) = ${address} group by f.id`,
  );
  return found ?? { members: [], names: [] };
};

export interface ProfileErasure {
  profileId: string;
  memberships: number;
  /** Those that were pending, and are withdrawn. */
  applications: number;
  keys: number;
}

/**
 * The profile, memberships, keys, links, invites and what merchants wrote about the person, in one transaction. Null when no profile has
 * the address. Locks are taken in the order of others: of a claim (the invites, then the profile), of a payout that fails (the payouts,
 * then their items, then the flags that hold those).
 */
export const eraseProfile = (ctx: Context, address: string): Promise<ProfileErasure | null> =>
  inTransaction(ctx, async (ctx) => {
    await eraseInvites(ctx, address);
    await eraseProblemNotes(ctx, address);
    const profile = await eraseAffiliateProfile(ctx, address);
    if (!profile) return null;
    await eraseLinks(ctx, profile);
    await eraseApplications(ctx, profile);
    await eraseInviteNames(ctx, profile);
    await erasePayoutNotes(ctx, profile);
    await eraseRunItems(ctx, profile);
    await eraseAdjustmentNotes(ctx, profile);
    await eraseFlags(ctx, profile);
    const keys = await eraseKeys(ctx, profile);
    const applications = await withdrawAllApplications(ctx, profile);
    await recordChange(ctx, { ownerId: profile.profileId, action: 'profile.erased', resourceId: profile.profileId });
    return { profileId: profile.profileId, memberships: profile.members.length, applications, keys };
  });
