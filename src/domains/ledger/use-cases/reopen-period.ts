import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { findBooks, lockBooks } from '../periods.queries.ts';

const nameOf = (month: string): string => month.slice(0, 7);

/** Opens the last closed month again, for an operator. The reason is kept in the audit log. */
export const reopenPeriod = (
  ctx: Context,
  { merchantId, period, reason }: { merchantId: string; period: string; reason: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await lockBooks(ctx, merchantId);
    const { lastClosed } = await findBooks(ctx, merchantId);
    if (lastClosed === null || nameOf(lastClosed) < period) throw notFound('Closed period');
    if (nameOf(lastClosed) !== period)
      throw conflict('PERIOD_OUT_OF_ORDER', `The last closed month is opened first: ${nameOf(lastClosed)}`, {
        period,
        next: nameOf(lastClosed),
      });
    const row = await firstRow(
      ctx.em,
      db
        .updateTable('ledger_period')
        .set({ closedAt: null })
        .where('merchantId', '=', merchantId)
        .where('month', '=', lastClosed)
        .returning('id'),
    );
    if (!row) throw notFound('Closed period');
    const change = { action: 'ledger_period.reopened', resourceId: row.id } as const;
    await recordChange(ctx, { ownerId: merchantId, ...change, after: { period, reason } });
  });
