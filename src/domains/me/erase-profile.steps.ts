import type { ErasedPerson } from '../../contracts/erasure.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { eraseProfile as eraseAffiliateProfile } from '../affiliates/index.ts';
import { eraseApplications, withdrawAllApplications } from '../applications/index.ts';
import { eraseKeys } from '../auth/index.ts';
import { eraseFileNotes } from '../bank-files/index.ts';
import { eraseAdjustmentNotes, eraseProblemNotes } from '../conversions/index.ts';
import { eraseFlags } from '../flags/index.ts';
import { eraseInviteNames, eraseInvites } from '../invites/index.ts';
import { eraseLinks } from '../links/index.ts';
import { eraseRunItems } from '../payout-runs/index.ts';
import { erasePayoutNotes } from '../payouts/index.ts';
import { eraseDifferences } from '../reconciliation/index.ts';
import { eraseConnections } from '../stripe-connections/index.ts';

type Named = Pick<ErasedPerson, 'members' | 'names' | 'merchants'>;

/** Finds an address, in lower case, as an affiliate and as a person who signs in. A template: arrays of several tables. */
export const findNames = async (ctx: Context, address: string): Promise<Named> => {
  const found = await firstRow(
    ctx.em,
    sql<Named>`with profile as (select id, name from affiliate_profile where lower(email) = ${address}),
        member as (select id, name, merchant_id from affiliate where profile_id in (select id from profile)),
        known as (select id, name from person where email = ${address})
      select array(select id::text from member) as members,
        array(select name from member where name is not null union select name from profile where name is not null
          union select name from known) as names,
        array(select merchant_id::text from member union select merchant_id::text from person_role
          where person_id in (select id from known)) as merchants`,
  );
  return found ?? { members: [], names: [], merchants: [] };
};

export interface ProfileErasure {
  profileId: string;
  memberships: number;
  /** Pending applications that are withdrawn. */
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
    await eraseFileNotes(ctx, profile);
    await eraseDifferences(ctx, profile);
    await eraseAdjustmentNotes(ctx, profile);
    await eraseFlags(ctx, profile);
    await eraseConnections(ctx, profile);
    const keys = await eraseKeys(ctx, profile);
    const applications = await withdrawAllApplications(ctx, profile);
    await recordChange(ctx, { ownerId: profile.profileId, action: 'profile.erased', resourceId: profile.profileId });
    return { profileId: profile.profileId, memberships: profile.members.length, applications, keys };
  });
