import { isDeepStrictEqual } from 'node:util';
import { PROTECTED_SETTINGS, type ProtectedSetting, RULE_CHANGE_DELAY_MS } from '../../contracts/approvals.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { after } from '../../platform/clock.ts';
import { actorName, type Context, emitInternal } from '../../platform/context.ts';
import { flushPending } from '../../platform/database/sql.ts';
import type { Merchant, MerchantChanges } from './merchant.entity.ts';
import { isLooser } from './payout-rules.steps.ts';
import { PendingChange } from './pending-change.entity.ts';

/**
 * Takes out of changes what makes payouts less safe, and lets it wait. A setting has one pending change at most: the newest. The caller
 * holds the merchant's lock.
 */
export const postponeLooser = async (ctx: Context, merchant: Merchant, changes: MerchantChanges): Promise<MerchantChanges> => {
  const rest = { ...changes };
  for (const setting of PROTECTED_SETTINGS) {
    const next = changes[setting];
    if (next === undefined) continue;
    const open = await ctx.em.findOne(PendingChange, { merchantId: merchant.id, setting, status: 'pending' }, { refresh: true });
    // Setting what holds stops a change that waits.
    const isSame = isDeepStrictEqual(next, merchant[setting] ?? null);
    if (isSame && !open) continue;
    const waits = !isSame && isLooser(setting, changes, merchant);
    if (waits) delete rest[setting];
    if (waits && open && isDeepStrictEqual(open.newValue ?? null, next)) continue;
    open?.decide('superseded', actorName(ctx.actor), ctx.clock.now());
    // The index allows one: this one is written before the next.
    await flushPending(ctx.em);
    if (waits) await request(ctx, merchant, { setting, newValue: next });
  }
  return rest;
};

const request = async (
  ctx: Context,
  merchant: Merchant,
  { setting, newValue }: { setting: ProtectedSetting; newValue: PendingChange['newValue'] },
): Promise<void> => {
  const { id: merchantId } = merchant;
  const oldValue = merchant[setting] ?? null;
  const changeId = ctx.ids.next();
  const createdAt = ctx.clock.now();
  const dueAt = after(createdAt, ctx.settings.scaled(RULE_CHANGE_DELAY_MS));
  ctx.em.create(PendingChange, {
    id: changeId,
    merchantId,
    setting,
    oldValue,
    newValue: newValue ?? null,
    createdBy: actorName(ctx.actor),
    createdAt,
    dueAt,
  });
  await recordChange(ctx, {
    ownerId: merchantId,
    action: 'merchant.change_requested',
    resourceId: merchantId,
    before: { [setting]: oldValue },
    after: { [setting]: newValue, changeId, dueAt },
  });
  await emitInternal(ctx, {
    type: 'merchant.change_requested',
    ...{ changeId, merchantId, setting, oldValue, newValue: newValue ?? null, dueAt },
  });
};
