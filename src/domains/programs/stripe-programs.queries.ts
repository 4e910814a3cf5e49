import type { Context } from '../../platform/context.ts';
import { type ExpressionBuilder, firstRow, rows, sql } from '../../platform/database/sql.ts';
import { db, type Tables } from '../tables.ts';
import { PROGRAM_RECORD, type ProgramRecord } from './program-lookup.queries.ts';

/** Where an event of Stripe comes from: the endpoint of a program, or an account connected by OAuth. */
export type StripeSource = { programId: string } | { accountId: string; livemode: boolean };

const MAX_PROGRAMS = 100;

/**
 * The programs that an event may be about, oldest first: those that receive the events of the same Stripe account, as far as
 * that is known, and the program that the event names, if it belongs to the same merchant.
 */
export const findStripePrograms = (ctx: Context, source: StripeSource, named: string | null): Promise<ProgramRecord[]> => {
  const connected = ({ eb, and }: ExpressionBuilder<Tables, 'program'>) =>
    'accountId' in source
      ? and([eb('stripeAccountId', '=', source.accountId), eb('stripeLivemode', '=', source.livemode)])
      : eb('id', '=', source.programId);
  return rows(
    ctx.em,
    db
      .selectFrom('program')
      .select(PROGRAM_RECORD)
      .where('merchantId', 'in', db.selectFrom('program').select('merchantId').where(connected))
      .where((expression) => {
        const { eb, exists, or, selectFrom } = expression;
        return or([
          connected(expression),
          // The events of a merchant's own account do not say which account it is, so it may be any that the merchant uses.
          ...('accountId' in source ? [] : [eb('stripeAccountId', 'is not', null)]),
          eb('id', '=', named),
          exists(selectFrom('stripe_signing_secret as s').select('s.programId').whereRef('s.programId', '=', 'program.id')),
        ]);
      })
      .orderBy(sql`coalesce(id = ${named}::uuid, false)`, 'desc')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(MAX_PROGRAMS),
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
