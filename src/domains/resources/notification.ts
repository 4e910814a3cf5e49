import { NOTIFICATIONS_PER_WEEK } from '../../contracts/limits.ts';
import type { BillingTier, ProgramStatus } from '../../contracts/programs.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import type { MarketingResource } from './resource.entity.ts';

export interface NotificationRejection {
  reason: 'NOTIFICATION_LIMIT_REACHED' | 'PROGRAM_INACTIVE';
  message: string;
  details: Record<string, unknown>;
}

const WEEK_MS = 7 * DAY_MS;

/** Requests one mail to each approved affiliate of the program, within the limit of the plan for any seven days. */
export const requestNotification = async (
  ctx: Context,
  { id: resourceId, merchantId, programId }: MarketingResource,
): Promise<{ id: string } | NotificationRejection> => {
  await lockName(ctx, `resource-notifications:${merchantId}`);
  const now = ctx.clock.now();
  const since = after(now, -WEEK_MS).toISOString();
  const found = await firstRow(
    ctx.em,
    sql<{ status: ProgramStatus; tier: BillingTier; requested: number }>`select p.status, m.billing_tier as tier,
      (select count(*)::int from resource_notification n where n.merchant_id = m.id and n.created_at > ${since}::timestamptz) as requested
      from program p join merchant m on m.id = p.merchant_id where p.id = ${programId}::uuid`,
  );
  invariant(found, 'programs are never deleted');
  if (found.status !== 'active') {
    return { reason: 'PROGRAM_INACTIVE', message: 'Affiliates of an inactive program are not notified', details: {} };
  }
  const limit = NOTIFICATIONS_PER_WEEK[found.tier];
  if (found.requested >= limit) {
    const message = 'Your plan allows no further notification of affiliates within seven days';
    return { reason: 'NOTIFICATION_LIMIT_REACHED', message, details: { limit } };
  }
  const id = ctx.ids.next();
  await execute(
    ctx.em,
    sql`insert into resource_notification (id, merchant_id, resource_id, last_affiliate_at, created_at)
      values (${id}::uuid, ${merchantId}::uuid, ${resourceId}::uuid, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz)`,
  );
  return { id };
};
