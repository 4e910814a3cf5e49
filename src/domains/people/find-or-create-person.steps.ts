import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { Person } from './person.entity.ts';

/** Serializes what makes a person of an address, in lower case. */
export const lockAddress = (ctx: Context, email: string): Promise<number> => lockName(ctx, `person:${email}`);

/**
 * The person of an address that has proved to be theirs. A new one gets the id that merchants and profiles of this address name as their
 * user, so that these refer to whoever signs in. It is random, as that of a profile: merchants who add the address are shown it, and the time
 * in a UUIDv7 would tell them that somebody signs in with it, and since when.
 */
export const findOrCreatePerson = async (ctx: Context, given: { email: string; name: string | null }): Promise<Person> => {
  const email = given.email.trim().toLowerCase();
  await lockAddress(ctx, email);
  const known = await ctx.em.findOne(Person, { email });
  if (known) return known;
  const profile = await firstRow(
    ctx.em,
    db.selectFrom('affiliate_profile').select(['userId', 'name']).where(sql<boolean>`lower(email) = ${email}`),
  );
  const id = profile?.userId ?? randomUUID();
  const name = given.name ?? profile?.name ?? email.slice(0, email.indexOf('@'));
  const person = ctx.em.create(Person, { id, email, name: name.slice(0, 100), createdAt: ctx.clock.now() });
  await execute(ctx.em, db.updateTable('merchant').set({ userId: id }).where(sql<boolean>`lower(email) = ${email}`));
  return person;
};
