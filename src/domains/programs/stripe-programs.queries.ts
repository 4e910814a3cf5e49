import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { type ProgramRecord, programRecordColumns } from './program-lookup.queries.ts';

/** Where an event of Stripe comes from: the endpoint of a program, or an account connected by OAuth. */
export type StripeSource = { programId: string } | { accountId: string; livemode: boolean };

const MAX_PROGRAMS = 100;

/**
 * The programs that an event may be about, oldest first: those that receive the events of the same Stripe account, as far as
 * that is known, and the program that the event names, if it belongs to the same merchant.
 */
export const findStripePrograms = (ctx: Context, source: StripeSource, named: string | null): Promise<ProgramRecord[]> => {
  const isConnected =
    'accountId' in source
      ? sql`stripe_account_id = ${source.accountId} and stripe_livemode = ${source.livemode}`
      : sql`id = ${source.programId}::uuid`;
  // The events of a merchant's own account do not say which account it is, so it may be any that the merchant uses.
  const sharesAccount = 'accountId' in source ? sql`${isConnected}` : sql`stripe_account_id is not null or ${isConnected}`;
  return rows(
    ctx.em,
    sql<ProgramRecord>`select ${programRecordColumns} from program
      where merchant_id in (select merchant_id from program where ${isConnected})
        and (${sharesAccount} or id = ${named}::uuid or exists (select from stripe_signing_secret s where s.program_id = program.id))
      order by coalesce(id = ${named}::uuid, false) desc, created_at, id limit ${MAX_PROGRAMS}`,
  );
};

/** The signing secret of a program's endpoint at Stripe; null when none was stored. */
export const findStripeSecret = async (ctx: Context, programId: string): Promise<string | null> => {
  const found = await firstRow(
    ctx.em,
    sql<{ ciphertext: string }>`select ciphertext from stripe_signing_secret where program_id = ${programId}::uuid`,
  );
  return found && ctx.cipher.decrypt(found.ciphertext, { table: 'stripe_signing_secret', column: 'ciphertext', row: programId });
};
