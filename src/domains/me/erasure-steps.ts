import { type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { withdrawAllApplications } from '../applications/index.ts';

/** What to look for. */
export interface ErasedPerson {
  /** Lower case. */
  address: string;
  /** Keyed hash of the address, as sales store it. */
  digest: string;
  /** Customer ids that name the person. */
  ids: readonly string[];
  /** Ids of the memberships; empty once the profile is erased. */
  members: readonly string[];
  /** As the person and merchants entered them; empty once the profile is erased. */
  names: readonly string[];
}

const BATCH = 5_000;

interface Step {
  erased: number;
  /** Where the next step continues; null at the end of the table. */
  last: string | null;
}

const walk = async (
  ctx: Context,
  step: (from: string | null) => RawBuilder<Step>,
  start: string | null = null,
): Promise<number> => {
  let erased = 0;
  for (let from = start; ; ) {
    const done: Step | null = await firstRow(ctx.em, step(from));
    erased += done?.erased ?? 0;
    from = done?.last ?? null;
    if (from === null) return erased;
  }
};

const countOf = async (ctx: Context, statement: RawBuilder<{ count: number }>): Promise<number> =>
  (await firstRow(ctx.em, statement))?.count ?? 0;

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

export interface ErasedProfile {
  profileId: string;
  memberships: number;
  /** Those that were pending, and are withdrawn. */
  applications: number;
  keys: string[];
}

/** The keys are revoked on all processes after the commit. Null when no profile has the address. */
export const eraseProfile = (ctx: Context, address: string): Promise<ErasedProfile | null> =>
  inTransaction(ctx, async (ctx) => {
    const erased = await firstRow(
      ctx.em,
      sql<Omit<ErasedProfile, 'applications'>>`select profile_id as "profileId", memberships, keys
        from erase_profile(${address}, ${ctx.clock.now().toISOString()}::timestamptz)`,
    );
    if (!erased) return null;
    for (const text of erased.keys) ctx.broadcasts.push({ channel: 'key-changed', text });
    return { ...erased, applications: await withdrawAllApplications(ctx, erased) };
  });

/** Of all people whose profile was erased, now or earlier: a payout may have ended since. */
export const eraseRecipients = async (ctx: Context): Promise<number> => {
  for (let total = 0; ; ) {
    const erased = await countOf(ctx, sql`select erase_payout_recipients(${BATCH}) as count`);
    total += erased;
    if (erased < BATCH) return total;
  }
};

export const eraseCustomer = (ctx: Context, { address, digest, ids }: ErasedPerson, pseudonym: string): Promise<number> =>
  walk(
    ctx,
    (from) => sql<Step>`select erased, last_sale as last
      from erase_customer(${address}, ${digest}, ${ids}::text[], ${pseudonym}, ${from}::uuid, ${BATCH})`,
  );

export const eraseIdentifications = (ctx: Context, { digest, ids }: ErasedPerson, pseudonym: string): Promise<number> =>
  walk(
    ctx,
    (from) => sql<Step>`select erased, last_row as last
      from erase_identifications(${digest}, ${ids}::text[], ${pseudonym}, ${from}::uuid, ${BATCH})`,
  );

/** Of events since a time, or of all. */
export const eraseEvents = async (ctx: Context, person: ErasedPerson, since: Date | null): Promise<number> => {
  const { address, ids, members, names } = person;
  const start = await firstRow(
    ctx.em,
    sql<{ id: string | null }>`select first_uuid_at(${since?.toISOString() ?? null}::timestamptz) as id`,
  );
  return walk(
    ctx,
    (from) => sql<Step>`select erased, last_event as last
      from erase_events(${address}, ${ids}::text[], ${members}::text[], ${names}::text[], ${from}::uuid, ${BATCH})`,
    start?.id,
  );
};

export const eraseExcerpts = (ctx: Context, { address }: ErasedPerson): Promise<number> =>
  walk(ctx, (from) => sql<Step>`select erased, last_delivery as last from erase_excerpts(${address}, ${from}::uuid, ${BATCH})`);

/** Stored for a day at most: one statement. */
export const eraseResponses = (ctx: Context, { address, members, names }: ErasedPerson): Promise<number> =>
  countOf(ctx, sql`select erase_responses(${address}, ${members}::text[], ${names}::text[]) as count`);
