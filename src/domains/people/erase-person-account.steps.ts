import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/**
 * Signs the person of an address out for good, and forgets who they were. Their roles end with it. Templates: a test reads which columns
 * they replace.
 */
export const erasePersonAccount = async (ctx: Context, address: string): Promise<void> => {
  const email = address.toLowerCase();
  const at = ctx.clock.now().toISOString();
  await execute(
    ctx.em,
    sql`update person_invite set email = 'erased@erased.invalid', ended_at = coalesce(ended_at, ${at}::timestamptz) where email = ${email}`,
  );
  await execute(ctx.em, sql`update sign_in set email = null, name = null, company_name = null where email = ${email}`);
  const person = await firstRow(ctx.em, db.selectFrom('person').select('id').where('email', '=', email));
  if (!person) return;
  const { id } = person;
  await execute(
    ctx.em,
    sql`update person_session set device = null, ended_at = coalesce(ended_at, ${at}::timestamptz) where person_id = ${id}::uuid`,
  );
  await execute(
    ctx.em,
    sql`update sign_in set mailbox_digest = 'erased', address_digest = null, network_digest = null where person_id = ${id}::uuid`,
  );
  await execute(
    ctx.em,
    sql`update person_role set removed_at = ${at}::timestamptz where person_id = ${id}::uuid and removed_at is null`,
  );
  await execute(
    ctx.em,
    sql`update passkey set name = '[erased]', credential_id = 'erased_' || id, public_key = '', transports = '{}',
      deleted_at = coalesce(deleted_at, ${at}::timestamptz) where person_id = ${id}::uuid`,
  );
  await execute(
    ctx.em,
    sql`update passkey_replacement set status = 'stopped', ended_at = ${at}::timestamptz where person_id = ${id}::uuid and status = 'pending'`,
  );
  await execute(
    ctx.em,
    sql`update person set email = 'erased_' || id || '@erased.invalid', name = '[erased]', locale = null, timezone = null
      where id = ${id}::uuid`,
  );
};
