import { valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockProgram } from '../lock-program.ts';
import { STRIPE_FIELDS } from '../program.entity.ts';
import { emitProgramUpdated, recordProgramChange, saveProgram } from '../save-program.ts';

export interface StripeConnection {
  programId: string;
  accountId: string;
  livemode: boolean;
}

/** False when the program was connected to another account in the meantime. */
export const completeStripeConnection = (ctx: Context, { programId, ...account }: StripeConnection): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const program = await lockProgram(ctx, programId);
    if (program.stripeAccountId) return program.stripeAccountId === account.accountId;
    const before = valuesOf(program, ['stripeAccountId']);
    program.connectStripe(account, ctx.clock.now());
    await saveProgram(ctx, program);
    await recordProgramChange(ctx, program, before);
    await emitProgramUpdated(ctx, program, STRIPE_FIELDS);
    return true;
  });
