import type { PaymentsHoldCause } from '../../../contracts/reconciliation.ts';
import { recordInstallationChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { arePaymentsHeld } from './holds.queries.ts';

// A template: the question has no table.

const PAYMENTS_HELD = 'All payments are on hold: the books have to be compared with the providers first';

/** Throws PAYMENTS_HELD while nothing may be paid. The caller's transaction writes what would pay. */
export const assertPaymentsNotHeld = async (ctx: Context): Promise<void> => {
  const found = await firstRow(ctx.em, sql<{ isHeld: boolean }>`select ${arePaymentsHeld()} as "isHeld"`);
  if (found?.isHeld) throw conflict('PAYMENTS_HELD', PAYMENTS_HELD);
};

export interface OpenPaymentsHold {
  id: string;
  cause: PaymentsHoldCause;
  reason: string | null;
  heldAt: Date;
}

/** Null while payments go on. */
export const findPaymentsHold = async (ctx: Context): Promise<OpenPaymentsHold | null> => {
  const found = await firstRow(
    ctx.em,
    db.selectFrom('payments_hold').select(['id', 'cause', 'reason', 'heldAt']).where('liftedAt', 'is', null),
  );
  return found && { ...found, heldAt: new Date(found.heldAt) };
};

/** Holds all payments. Returns false when they are held already, which changes nothing. */
export const holdPayments = (
  ctx: Context,
  { cause, reason = null }: { cause: PaymentsHoldCause; reason?: string | null },
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const held = { id: ctx.ids.next(), cause, reason, heldBy: actorName(ctx.actor), heldAt: ctx.clock.now().toISOString() };
    const inserted = await execute(
      ctx.em,
      db
        .insertInto('payments_hold')
        .values(held)
        .onConflict((conflict) => conflict.doNothing()),
    );
    if (inserted === 0) return false;
    await recordInstallationChange(ctx, { action: 'installation.payments_held', after: { cause, reason } });
    ctx.log.error({ cause, reason }, 'all payments are on hold: compare the books, see docs/backup.md');
    return true;
  });

/** Returns false when payments are not held, or by another hold meanwhile. */
export const liftPaymentsHold = (ctx: Context, { id, note }: { id: string; note: string }): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const lifted = { liftedAt: ctx.clock.now().toISOString(), liftedBy: actorName(ctx.actor), note };
    const open = db.updateTable('payments_hold').set(lifted).where('id', '=', id).where('liftedAt', 'is', null);
    if ((await execute(ctx.em, open)) === 0) return false;
    await recordInstallationChange(ctx, { action: 'installation.payments_resumed', after: { note } });
    ctx.log.warn({ note }, 'payments go on');
    return true;
  });
