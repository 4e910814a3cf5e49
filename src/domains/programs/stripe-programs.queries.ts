import type { Context } from '../../platform/context.ts';
import { execute, firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db } from '../tables.ts';
import { PROGRAM_RECORD, type ProgramRecord } from './program-lookup.queries.ts';

/** Where an event of Stripe comes from: the endpoint of a program, or an account connected by OAuth. */
export type StripeSource = { programId: string } | { accountId: string; livemode: boolean };

const MAX_PROGRAMS = 100;

/** A program of a merchant who receives the events of a Stripe account. */
export interface StripeProgram extends ProgramRecord {
  /** Receives the events of the source, also because its endpoint is known to be of the same account. */
  isSource: boolean;
  /** Receives events of Stripe: of the account of the source, or of one that is not known. */
  isConnected: boolean;
}

/** Whether a row of `withSecrets` receives the events of the source. */
const receivesFrom = (source: StripeSource): RawBuilder<boolean> =>
  'accountId' in source
    ? sql<boolean>`coalesce(program.stripe_account_id = ${source.accountId} and program.stripe_livemode = ${source.livemode}, false)`
    : sql<boolean>`coalesce(program.id = ${source.programId} or s.account_group = (
        select account_group from stripe_signing_secret where program_id = ${source.programId}), false)`;

/** The events of a merchant's own account do not say which account it is, so it may be any that the merchant uses. */
const receivesAny = (source: StripeSource): RawBuilder<boolean> => {
  const connected = 'accountId' in source ? receivesFrom(source) : sql`program.stripe_account_id is not null`;
  return sql<boolean>`(s.program_id is not null or ${connected})`;
};

const withSecrets = () => db.selectFrom('program').leftJoin('stripe_signing_secret as s', 's.programId', 'program.id');

/**
 * The programs of the merchants who receive the events of a source, by their age. Of a merchant with very many, the one that the
 * event names and those that receive events of Stripe come first.
 */
export const findStripePrograms = async (ctx: Context, source: StripeSource, named: string | null): Promise<StripeProgram[]> => {
  const isSource = receivesFrom(source);
  const found = await rows(
    ctx.em,
    withSecrets()
      .select(PROGRAM_RECORD)
      .select([isSource.as('isSource'), receivesAny(source).as('isConnected')])
      .where('merchantId', 'in', withSecrets().select('merchantId').where(isSource))
      .orderBy(sql`coalesce(program.id = ${named}::uuid, false)`, 'desc')
      .orderBy('isSource', 'desc')
      .orderBy('isConnected', 'desc')
      .orderBy('program.id')
      .limit(MAX_PROGRAMS),
  );
  // Ids of programs are ordered by their creation.
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
};

/** One payment came to the endpoints of these programs: they belong to one Stripe account, and each receives the events of all. */
export const joinStripeEndpoints = async (ctx: Context, programIds: readonly string[]): Promise<void> => {
  const endpoints = await rows(
    ctx.em,
    db
      .selectFrom('stripe_signing_secret')
      .select(['programId', 'accountGroup'])
      .where('programId', '=', anyOf(programIds))
      .orderBy('programId')
      .forUpdate(),
  );
  const [first] = endpoints;
  if (!first || endpoints.length === 1) return;
  const accountGroup = endpoints.find((endpoint) => endpoint.accountGroup !== null)?.accountGroup ?? first.programId;
  const groups = endpoints.flatMap((endpoint) => endpoint.accountGroup ?? []);
  await execute(
    ctx.em,
    db
      .updateTable('stripe_signing_secret')
      .set({ accountGroup })
      .where(({ eb, or }) => or([eb('programId', '=', anyOf(programIds)), eb('accountGroup', '=', anyOf(groups))])),
  );
};

/** The signing secret of a program's endpoint at Stripe; null when none was stored. */
export const findStripeSecret = async (ctx: Context, programId: string): Promise<string | null> => {
  const found = await firstRow(
    ctx.em,
    db.selectFrom('stripe_signing_secret').select('ciphertext').where('programId', '=', programId),
  );
  return found && ctx.cipher.decrypt(found.ciphertext, { table: 'stripe_signing_secret', column: 'ciphertext', row: programId });
};
