import { NOTIFICATIONS_PER_WEEK } from '../../contracts/limits.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
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
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('program as p')
      .innerJoin('merchant as m', 'm.id', 'p.merchantId')
      .select(({ fn, selectFrom }) => [
        'p.status',
        'm.billingTier',
        selectFrom('resource_notification as n')
          .select(fn.countAll<number>().as('requested'))
          .whereRef('n.merchantId', '=', 'm.id')
          .where('n.createdAt', '>', after(now, -WEEK_MS).toISOString())
          .as('requested'),
      ])
      .where('p.id', '=', programId),
  );
  invariant(found, 'programs are never deleted');
  if (found.status !== 'active') {
    return { reason: 'PROGRAM_INACTIVE', message: 'Affiliates of an inactive program are not notified', details: {} };
  }
  const limit = NOTIFICATIONS_PER_WEEK[found.billingTier];
  if ((found.requested ?? 0) >= limit) {
    const message = 'Your plan allows no further notification of affiliates within seven days';
    return { reason: 'NOTIFICATION_LIMIT_REACHED', message, details: { limit } };
  }
  const id = ctx.ids.next();
  await execute(
    ctx.em,
    db
      .insertInto('resource_notification')
      .values({ id, merchantId, resourceId, lastAffiliateAt: now, nextAt: now, createdAt: now }),
  );
  return { id };
};
