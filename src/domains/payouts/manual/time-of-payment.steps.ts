import { after, DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { dayIn, timeIn } from '../../../platform/local-time.ts';
import { getTimeZone } from '../../given-times.ts';
import type { Payout } from '../payout.entity.ts';

/**
 * When a bank did something, as a person says. Banks and people know days, so what is today for the merchant is not in the future, and a
 * payment is made on the day before that of its payout where the bank's day began later.
 */
export const timeOfPayment = async (
  ctx: Context,
  { merchantId, createdAt }: Payout,
  field: 'executedAt' | 'occurredAt',
  time: string | undefined,
): Promise<Date | undefined> => {
  if (time === undefined) return undefined;
  const zone = await getTimeZone(ctx, merchantId);
  const at = timeIn(time, zone);
  const today = dayIn(ctx.clock.now(), zone);
  if (dayIn(at, zone) > today) throw invalidField(field, `is in the future: in your time zone, ${zone}, today is ${today}`);
  if (dayIn(at, zone) < dayIn(after(createdAt, -DAY_MS), zone)) throw invalidField(field, 'is before the payout was created');
  return at;
};
