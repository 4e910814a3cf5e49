import { DateTime } from 'luxon';
import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import type { ListedMovement } from '../payouts/index.ts';
import { db } from '../tables.ts';
import { completeDaysOf } from './complete-days.rules.ts';
import { listLinesOf } from './file-lines.queries.ts';

export interface AccountMovements {
  movements: ListedMovement[];
  /** Days, as `2026-12-31`, of which everything is known: a payment that is not among the movements was not booked then. */
  completeDays: string[];
}

/** Bookings in one comparison, which narrows its period when there are more. */
const MAX_BOOKINGS = 20_000;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * What a bank booked on an account in a period of whole days (UTC), each movement once although several files have it. A sum that was booked
 * for a file is listed as the payments of that file.
 */
export const movementsOfAccount = async (
  ctx: Context,
  accountId: string,
  since: Date,
  until: Date,
): Promise<AccountMovements> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('bank_booking')
      .select(['id', 'bookedOn', 'direction', 'isReversal', 'isReturn', 'amount', 'currency', 'entryRef', 'idempotencyKey'])
      .select(['payoutId', 'fileId', 'problem'])
      .where('railAccountId', '=', accountId)
      .where('bookedOn', '>=', dayOf(since))
      .where('bookedOn', '<=', dayOf(until))
      .orderBy('bookedOn')
      .orderBy('id')
      .limit(MAX_BOOKINGS),
  );
  // A notification has the payments of an entry, and a statement may have only their sum.
  const detailed = new Set(found.flatMap(({ entryRef, idempotencyKey }) => (idempotencyKey && entryRef ? [entryRef] : [])));
  const movements: ListedMovement[] = [];
  for (const booking of found) {
    if (!booking.idempotencyKey && booking.entryRef && detailed.has(booking.entryRef)) continue;
    if (booking.fileId && booking.problem === null) movements.push(...(await paymentsOf(ctx, booking.fileId, booking)));
    else movements.push(movementOf(booking));
  }
  return { movements, completeDays: await findCompleteDays(ctx, accountId) };
};

interface StoredBooking {
  id: string;
  bookedOn: string;
  direction: 'debit' | 'credit';
  isReversal: boolean;
  isReturn: boolean;
  amount: number;
  currency: string;
  entryRef?: string | null;
  idempotencyKey?: string | null;
  payoutId?: string | null;
}

const kindOf = ({ direction, isReturn, isReversal, idempotencyKey }: StoredBooking): ListedMovement['kind'] => {
  if (direction === 'credit') return isReturn || isReversal ? 'return' : 'other';
  return idempotencyKey && !isReversal && !isReturn ? 'payment' : 'other';
};

const movementOf = (booking: StoredBooking): ListedMovement => {
  const kind = kindOf(booking);
  const { id, amount, currency, entryRef, idempotencyKey = null, payoutId = null, bookedOn, direction } = booking;
  return {
    id,
    kind,
    idempotencyKey,
    reference: payoutId,
    references: entryRef ? { booking: entryRef } : {},
    status: kind === 'return' ? 'returned' : 'paid',
    state: 'BOOK',
    // Money that came in, and is no return, adds to the balance.
    amountMinor: kind === 'other' && direction === 'debit' ? -amount : amount,
    currency,
    fee: null,
    receiver: null,
    occurredAt: DateTime.fromISO(bookedOn, { zone: 'utc' }).set({ hour: 12 }).toJSDate(),
  };
};

const paymentsOf = async (ctx: Context, fileId: string, booking: StoredBooking): Promise<ListedMovement[]> => {
  const lines = await listLinesOf(ctx, fileId);
  return lines
    .filter(({ outcome }) => outcome === 'paid' || outcome === 'returned')
    .map((line) => ({
      ...movementOf({ ...booking, amount: line.amount, idempotencyKey: line.idempotencyKey, payoutId: line.payoutId }),
      id: `${booking.id}/${line.idempotencyKey}`,
    }));
};

const findCompleteDays = async (ctx: Context, accountId: string): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('bank_statement as s')
      .innerJoin('rail_account as r', 'r.merchantId', 's.merchantId')
      .select('s.statements')
      .where('r.id', '=', accountId)
      .where('s.kind', '=', 'statement'),
  );
  return completeDaysOf(found.flatMap(({ statements }) => statements.filter((statement) => statement.accountId === accountId)));
};
