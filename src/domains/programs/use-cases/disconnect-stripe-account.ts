import { LockMode } from '@mikro-orm/core';
import { after, SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { emitProgramUpdated } from '../emit-program-updated.ts';
import { Program, STRIPE_FIELDS } from '../program.entity.ts';
import { saveProgram } from '../save-program.ts';

export interface EndedStripeAccess {
  accountId: string;
  livemode: boolean;
  /** When the access ended, in whole seconds. */
  at: Date;
}

const MAX_PROGRAMS = 100;

/**
 * Disconnects the programs of an account whose owner ended the access at Stripe, and returns how many. One that was connected
 * again since then stays connected.
 */
export const disconnectStripeAccount = (ctx: Context, { accountId, livemode, at }: EndedStripeAccess): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const programs = await ctx.em.find(
      Program,
      { stripeAccountId: accountId, stripeLivemode: livemode, stripeConnectedAt: { $lt: after(at, SECOND_MS) } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, limit: MAX_PROGRAMS },
    );
    for (const program of programs) {
      program.disconnectStripe(ctx.clock.now());
      await saveProgram(ctx, program);
      await emitProgramUpdated(ctx, program, STRIPE_FIELDS);
    }
    return programs.length;
  });
