import { valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockProgram } from '../lock-program.ts';
import { STRIPE_FIELDS } from '../program.entity.ts';
import { emitProgramUpdated, recordProgramChange, saveProgram } from '../save-program.ts';

/** Sales and refunds that were received stay. Disconnecting a program that is not connected changes nothing. */
export const disconnectStripe = (ctx: Context, input: { programId: string }): Promise<{ success: true; programId: string }> =>
  inTransaction(ctx, async (ctx) => {
    const program = await lockProgram(ctx, input.programId);
    if (program.stripeAccountId) {
      const before = valuesOf(program, ['stripeAccountId']);
      program.disconnectStripe(ctx.clock.now());
      await saveProgram(ctx, program);
      await recordProgramChange(ctx, program, before);
      await emitProgramUpdated(ctx, program, STRIPE_FIELDS);
    }
    return { success: true, programId: program.id };
  });
