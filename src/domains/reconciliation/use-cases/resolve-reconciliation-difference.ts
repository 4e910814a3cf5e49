import { INSTALLATION } from '../../../contracts/audit-log.ts';
import { isConfirmedBy } from '../../../contracts/rails.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { endPayeeHolds } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { DIFFERENCE, NOBODY } from '../reconciliation.queries.ts';
import { type DifferenceView, toDifference } from '../reconciliation.wire.ts';

interface ResolveInput {
  id: string;
  note: string;
  /** For a payment that our books do not have: the payout that it paid. */
  payoutId?: string | undefined;
}

/**
 * A person looked at a difference. It books nothing. What is linked to a payment is looked up and never sent, so that its payout is
 * paid once. Throws ALREADY_RESOLVED the second time.
 */
export const resolveReconciliationDifference = (ctx: Context, { id, note, payoutId }: ResolveInput): Promise<DifferenceView> =>
  inTransaction(ctx, async (ctx) => {
    const found = await firstRow(
      ctx.em,
      db.selectFrom('reconciliation_difference').select(DIFFERENCE).select('merchantId').where('id', '=', id).forUpdate(),
    );
    const difference = readOwned(ctx, 'Difference', found && { ...found, merchantId: found.merchantId ?? NOBODY });
    const { merchantId, kind, status } = difference;
    if (status === 'resolved' || status === 'closed')
      throw conflict('ALREADY_RESOLVED', `The difference is ${status} already`, { status });
    if (payoutId !== undefined) await assertLinkable(ctx, { kind, merchantId, payoutId });
    const resolvedAt = ctx.clock.now().toISOString();
    const resolved = { status: 'resolved', note, resolvedBy: actorName(ctx.actor), resolvedAt } as const;
    const linkedPayoutId = payoutId ?? null;
    await execute(
      ctx.em,
      db
        .updateTable('reconciliation_difference')
        .set({ ...resolved, linkedPayoutId })
        .where('id', '=', id),
    );
    if (kind === 'missing_here') await endPayeeHolds(ctx, { ids: [id], payoutId: linkedPayoutId });
    const change = { action: 'reconciliation_difference.resolved', resourceId: id, hidden: ['note'] } as const;
    const after = { kind, ...(linkedPayoutId === null ? {} : { payoutId: linkedPayoutId }) };
    await recordChange(ctx, { ownerId: merchantId === NOBODY ? INSTALLATION : merchantId, ...change, after });
    return toDifference({ ...difference, ...resolved, linkedPayoutId });
  });

interface Link {
  kind: DifferenceView['kind'];
  merchantId: string;
  payoutId: string;
}

/** 404 or 403 for a payout that is not the caller's. One that is being paid has a payment of its own. */
const assertLinkable = async (ctx: Context, { kind, merchantId, payoutId }: Link): Promise<void> => {
  if (kind !== 'missing_here') throw invalidField('payoutId', 'can only be given for a payment that is missing here');
  const payout = readOwned(
    ctx,
    'Payout',
    await firstRow(
      ctx.em,
      db.selectFrom('payout').select(['id', 'merchantId', 'status', 'rail']).where('id', '=', payoutId).forNoKeyUpdate(),
    ),
  );
  if (merchantId !== NOBODY && payout.merchantId !== merchantId)
    throw invalidField('payoutId', 'must be a payout of the same merchant');
  if (isConfirmedBy(payout.rail, 'person'))
    throw invalidField('payoutId', 'must be paid by a provider; resolve this without it, and mark the payout as paid yourself');
  if (payout.status === 'processing')
    throw conflict('ATTEMPT_STARTED', 'The payout is being paid by a payment of its own', { status: payout.status });
};
