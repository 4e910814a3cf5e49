import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockProgram } from '../lock-program.ts';
import { STRIPE_FIELDS } from '../program.entity.ts';
import { emitProgramUpdated, saveProgram } from '../save-program.ts';

/** Sales and refunds that were received stay. Disconnecting a program that is not connected changes nothing. */
export const disconnectStripe = (ctx: Context, input: { programId: string }): Promise<{ success: true; programId: string }> =>
  inTransaction(ctx, async (ctx) => {
    const program = await lockProgram(ctx, input.programId);
    if (program.stripeAccountId) {
      program.disconnectStripe(ctx.clock.now());
      await saveProgram(ctx, program);
      await emitProgramUpdated(ctx, program, STRIPE_FIELDS);
    }
    return { success: true, programId: program.id };
  });
