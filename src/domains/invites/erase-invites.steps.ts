import type { ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';

/** Invites of an address, also of somebody who never joined. Locks those that the person claimed too: before their profile, as a claim does. */
export const eraseInvites = async (ctx: Context, address: string): Promise<void> => {
  await rows(
    ctx.em,
    sql`select from invite where id in (
        select id from invite where email = lower(${address})
        union select p.invite_id from application p join affiliate_profile f on f.id = p.profile_id where lower(f.email) = lower(${address}))
      order by id for no key update`,
  );
  await execute(
    ctx.em,
    sql`update invite set email = 'erased@erased.invalid', name = case when name is not null then '[erased]' end,
        expires_at = least(expires_at, ${ctx.clock.now().toISOString()}::timestamptz)
      where email = lower(${address})`,
  );
};

/** The person's names in invites that they claimed. */
export const eraseInviteNames = (ctx: Context, { profileId, terms }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update invite i set name = without_terms(i.name, ${terms}::text[]) from application p
      where p.invite_id = i.id and p.profile_id = ${profileId}::uuid and i.name is not null`,
  );
