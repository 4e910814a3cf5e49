import type { Context } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { lockOfName } from '../../../platform/database/lock-name.ts';
import { firstRow, type RawBuilder, sql, statementOf } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { type ProgramRecord, programTurn, sharedProgramAfter } from '../../programs/index.ts';

/** What an event says of its customer, in one program. */
export interface CustomerNames {
  programId: string;
  customerId: string;
  /** Keyed hash of the mailbox. */
  customerCanonicalDigest?: string | null | undefined;
  /** The customer's id at Stripe, of an event that is not Stripe's. */
  stripeCustomerId?: string | null | undefined;
}

/** One person, whatever ids the payments of that person name. */
export interface KnownCustomer {
  id: string;
  /** All ids of payment systems, as sales and sign-ups store them. */
  ids: readonly string[];
}

/** As the function of the database takes it. */
interface Named {
  programId: string;
  own: readonly string[];
  mailbox: string | null;
  newId: string;
  at: string;
}

const namedOf = (ctx: Context, { programId, customerId, customerCanonicalDigest, stripeCustomerId }: CustomerNames): Named => ({
  programId,
  own: [customerId, ...(stripeCustomerId && stripeCustomerId !== customerId ? [stripeCustomerId] : [])],
  mailbox: customerCanonicalDigest ?? null,
  newId: ctx.ids.next(),
  at: ctx.clock.now().toISOString(),
});

/** Calls of a function: templates, as they are part of the recording of a sale, which a benchmark measures. */
const knownBy = ({ programId, own, mailbox, newId, at }: Given<Named>): RawBuilder<KnownCustomer> =>
  sql`know_customer(${programId}::uuid, ${own}::text[], ${mailbox}::text, ${newId}::uuid, ${at}::timestamptz)`;

const customerOf = compileOnce((named: Given<Named>) =>
  statementOf(sql<{ customer: KnownCustomer }>`select ${knownBy(named)} as customer`),
);

/**
 * The customer whom an event names, and nobody else until the transaction ends: only one sale can be the first. If it names several,
 * they are one from now on. Taken before the row of any sale.
 */
export const lockCustomer = async (ctx: Context, names: CustomerNames): Promise<KnownCustomer> => {
  const found = await firstRow(ctx.em, customerOf(namedOf(ctx, names)));
  invariant(found, 'a function returns a row');
  return found.customer;
};

type Locks = Named & { turn: string; [name: number]: string };

const customerAndProgram = compileOnce(({ programId, own, mailbox, newId, at, turn, ...locks }: Given<Locks>) => {
  const customer = sql`${knownBy({ programId, own, mailbox, newId, at })} as customer`;
  const before = [...Object.values(locks).map(lockOfName), customer];
  return statementOf(sharedProgramAfter<{ customer: KnownCustomer }>({ id: programId, turn }, before));
});

/** As `lockCustomer`, then the program as `lockProgramShared`; the locks of `locks` before both. One round trip. */
export const lockCustomerAndProgram = async (
  ctx: Context,
  names: CustomerNames,
  locks: readonly string[] = [],
): Promise<{ customer: KnownCustomer; program: ProgramRecord }> => {
  const { programId } = names;
  const found = await firstRow(ctx.em, customerAndProgram({ ...locks, ...namedOf(ctx, names), turn: programTurn(programId) }));
  invariant(found, 'programs are never deleted');
  const { customer, ...program } = found;
  return { customer, program };
};
