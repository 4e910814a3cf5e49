import type { EntityManager } from './orm.ts';
import { execute, firstRow, sql } from './sql.ts';

/** Holds the privileges of the application; migrations grant them. */
const APPLICATION_GROUP = 'tributary_app';

export interface ApplicationRole {
  /** A role of its own that logs in with this address. */
  url: string;
  /** Sets the password of a role that exists. Default: it keeps its own. */
  resetPassword?: boolean;
}

/** Lets the role of the address use the tables as the application may; creates the role if it is missing. Run by the owner. */
export const ensureApplicationRole = async (em: EntityManager, { url, resetPassword }: ApplicationRole): Promise<void> => {
  const { username, password } = new URL(url);
  const name = decodeURIComponent(username);
  const owner = await firstRow(em, sql<{ name: string }>`select current_user::text as name`);
  if (name === '' || name === owner?.name) return;
  const exists = (await firstRow(em, sql`select 1 from pg_roles where rolname = ${name}`)) !== null;
  if (!exists || resetPassword) {
    const change = await firstRow(
      em,
      sql<{ text: string }>`select format(${`${exists ? 'alter' : 'create'} role %I login password %L`}, ${name}::text,
        ${decodeURIComponent(password)}::text) as text`,
    );
    if (change) await execute(em, sql.raw(change.text));
  }
  await execute(em, sql`grant ${sql.id(APPLICATION_GROUP)} to ${sql.id(name)}`);
};
