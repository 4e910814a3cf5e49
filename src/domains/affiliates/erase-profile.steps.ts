import type { ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../platform/database/sql.ts';

/**
 * Locks the profile of an address and replaces its data and what merchants entered in its memberships. Null when no profile has the
 * address. The caller holds the locks of its invites.
 */
export const eraseProfile = async (ctx: Context, address: string): Promise<ErasedProfile | null> => {
  const profile = await firstRow(
    ctx.em,
    sql<{
      id: string;
      name: string | null;
    }>`select id, name from affiliate_profile where lower(email) = lower(${address}) for no key update`,
  );
  if (!profile) return null;
  // Read under the lock: an approval that it waited for has made a membership.
  const memberships = await rows(
    ctx.em,
    sql<{ id: string; name: string | null }>`select id, name from affiliate where profile_id = ${profile.id}::uuid`,
  );
  const members = memberships.map(({ id }) => id);
  const names = [...new Set(memberships.map(({ name }) => name)), profile.name].filter((name) => name !== null);
  const terms = [...names, address];
  const words = [...new Set([...terms, ...names.flatMap((name) => name.split(/\s+/))])];
  const at = sql`${ctx.clock.now().toISOString()}::timestamptz`;
  await execute(
    ctx.em,
    sql`update affiliate_profile set email = 'erased-' || id || '@erased.invalid', name = null, payout_method = null,
        payout_details = null, payout_details_changed_at = null, payout_details_confirmed_at = null, payout_cooldown_until = null,
        payout_undo = null, payout_undo_hash = null, payout_digests = '{}', erased_at = ${at}, updated_at = ${at}
      where id = ${profile.id}::uuid`,
  );
  await execute(
    ctx.em,
    sql`update affiliate set name = null, payout_method = null, payout_details = null, payout_details_changed_at = null,
        payout_details_confirmed_at = null, account_entered_by = null, account_entered_at = null, external_id = null, metadata = null, sort_name = '', search_text = code, blocked_reason = without_terms(blocked_reason, ${words}::text[]),
        erased_at = ${at}, updated_at = ${at}
      where id = any(${members}::uuid[])`,
  );
  await execute(ctx.em, sql`select erase_name_codes(${members}::uuid[])`);
  await execute(ctx.em, sql`delete from details_refusal where profile_id = ${profile.id}::uuid`);
  return { profileId: profile.id, members, terms, words };
};
