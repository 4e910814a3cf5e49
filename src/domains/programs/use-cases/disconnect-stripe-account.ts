import { valuesOf } from '../../../platform/audit-log/record-change.ts';
import { after, SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { lockProgram } from '../lock-program.steps.ts';
import { STRIPE_FIELDS } from '../program.entity.ts';
import { emitProgramUpdated, recordProgramChange, saveProgram } from '../save-program.steps.ts';

export interface EndedStripeAccess {
  accountId: string;
  livemode: boolean;
  /** When the access ended, in whole seconds. */
  at: Date;
}

/**
 * Disconnects the programs of an account whose owner ended the access at Stripe, and returns how many. One that was connected
 * again since then stays connected. In one transaction for each: the sales of one program must not wait for those of another.
 */
export const disconnectStripeAccount = async (ctx: Context, access: EndedStripeAccess): Promise<number> => {
  let disconnected = 0;
  for (const { id } of await findConnected(ctx, access)) if (await disconnectProgram(ctx, id, access)) disconnected++;
  return disconnected;
};

const findConnected = (ctx: Context, { accountId, livemode }: EndedStripeAccess): Promise<{ id: string }[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('program')
      .select('id')
      .where('stripeAccountId', '=', accountId)
      .where('stripeLivemode', '=', livemode)
      .orderBy('id'),
  );

/** Decided under the program's lock. False when it is not connected by what ended. */
const disconnectProgram = (ctx: Context, id: string, { accountId, livemode, at }: EndedStripeAccess): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const program = await lockProgram(ctx, id);
    const { stripeAccountId, stripeLivemode, stripeConnectedAt } = program;
    const isConnected = stripeAccountId === accountId && stripeLivemode === livemode;
    if (!isConnected || !stripeConnectedAt || stripeConnectedAt >= after(at, SECOND_MS)) return false;
    const before = valuesOf(program, ['stripeAccountId']);
    program.disconnectStripe(ctx.clock.now());
    await saveProgram(ctx, program);
    await recordProgramChange(ctx, program, before);
    await emitProgramUpdated(ctx, program, STRIPE_FIELDS);
    return true;
  });
