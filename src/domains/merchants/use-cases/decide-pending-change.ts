import { LockMode } from '@mikro-orm/core';
import type { CancelledWork } from '../../../contracts/approvals.ts';
import type { AuditAction } from '../../../contracts/audit-log.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { assertSecondActor, isGone } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import type { Merchant, MerchantChanges } from '../merchant.entity.ts';
import { changeSettings, lockMerchant } from '../merchant-changes.steps.ts';
import { PendingChange } from '../pending-change.entity.ts';
import { type PendingChangeView, toPendingChange } from '../pending-changes.wire.ts';

/** The merchant is locked before its changes: the same order everywhere. */
const lockChange = async (ctx: Context, id: string): Promise<{ merchant: Merchant; change: PendingChange }> => {
  const merchant = await lockMerchant(ctx, merchantOf(ctx));
  return { merchant, change: await lockOwned(ctx, 'Pending change', PendingChange, { id }) };
};

const record = (ctx: Context, action: AuditAction, { id, merchantId, setting, oldValue, newValue }: PendingChange) =>
  recordChange(ctx, {
    ownerId: merchantId,
    action,
    resourceId: merchantId,
    before: { [setting]: oldValue },
    after: { [setting]: newValue, changeId: id },
  });

const apply = (ctx: Context, merchant: Merchant, { setting, newValue }: PendingChange): Promise<void> =>
  changeSettings(ctx, merchant, { [setting]: newValue ?? null } as MerchantChanges);

/** Takes effect at once. Throws ALREADY_DECIDED, and SAME_ACTOR for whoever must not. */
export const approvePendingChange = (ctx: Context, { id }: { id: string }): Promise<PendingChangeView> =>
  inTransaction(ctx, async (ctx) => {
    const { merchant, change } = await lockChange(ctx, id);
    if (change.status === 'pending') await assertSecondActor(ctx, { createdBy: change.createdBy, madeAt: change.createdAt });
    change.decide('approved', actorName(ctx.actor), ctx.clock.now());
    await record(ctx, 'merchant.change_approved', change);
    await apply(ctx, merchant, change);
    return toPendingChange(change);
  });

/** Throws ALREADY_DECIDED. */
export const cancelPendingChange = (ctx: Context, { id }: { id: string }): Promise<PendingChangeView> =>
  inTransaction(ctx, async (ctx) => {
    const { change } = await lockChange(ctx, id);
    change.decide('cancelled', actorName(ctx.actor), ctx.clock.now());
    await record(ctx, 'merchant.change_cancelled', change);
    return toPendingChange(change);
  });

const BATCH = 100;

const GONE = isGone({
  actor: sql`pending_change.created_by`,
  merchantId: sql`pending_change.merchant_id`,
  scope: 'merchant:manage',
});

/** Changes that wait in the name of somebody who may no longer ask for them, of one merchant or of all: at most a batch. */
export const cancelChangesOfGone = (ctx: Context, merchantId: string | null): Promise<CancelledWork[]> =>
  inTransaction(ctx, async (ctx) => {
    const found = db
      .selectFrom('pending_change')
      .select('id')
      .where('status', '=', sql.lit('pending' as const))
      .where(GONE)
      .orderBy('id')
      .limit(sql.lit(BATCH))
      .forUpdate();
    const gone = await rows(ctx.em, merchantId === null ? found : found.where('merchantId', '=', merchantId));
    const changes = await ctx.em.find(PendingChange, { id: { $in: gone.map(({ id }) => id) } }, { refresh: true });
    for (const change of changes) {
      change.decide('cancelled', actorName(ctx.actor), ctx.clock.now());
      await record(ctx, 'merchant.change_cancelled', change);
    }
    return changes.map(({ id }) => ({ kind: 'pending_change', id }));
  });

/** Lets changes take effect whose time came: at most a batch, each in a transaction of its own. Returns how many. */
export const applyDueChanges = async (ctx: Context): Promise<number> => {
  const due = await rows(
    ctx.em,
    db
      .selectFrom('pending_change')
      .select(['id', 'merchantId'])
      .where('status', '=', sql.lit('pending' as const))
      .where('dueAt', '<=', ctx.clock.now().toISOString())
      .where(({ not }) => not(GONE))
      .orderBy('dueAt')
      .limit(sql.lit(BATCH)),
  );
  for (const { id, merchantId } of due) await applyDue(ctx, id, merchantId);
  return due.length;
};

/** Nothing, when somebody decided meanwhile. */
const applyDue = (ctx: Context, id: string, merchantId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, merchantId);
    const change = await ctx.em.findOneOrFail(PendingChange, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
    if (change.status !== 'pending') return;
    change.decide('applied', actorName(ctx.actor), ctx.clock.now());
    await apply(ctx, merchant, change);
  });
