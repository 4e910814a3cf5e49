import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';

const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

export const assertNotInFuture = (ctx: Context, occurredAt: Date): void => {
  if (occurredAt > after(ctx.clock.now(), CLOCK_TOLERANCE_MS))
    throw invalidField('data.occurredAt', 'must not be more than 5 minutes in the future');
};
