import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { lockProgram } from '../lock-program.ts';

export interface StoredStripeSecret {
  programId: string;
  secretLastFour: string;
  setAt: Date;
}

/**
 * Stores the signing secret of a program's endpoint at Stripe and replaces an earlier one at once: while Stripe rolls a
 * secret, it signs with both.
 */
export const setStripeSecret = (ctx: Context, input: { programId: string; secret: string }): Promise<StoredStripeSecret> =>
  inTransaction(ctx, async (ctx) => {
    const { id: programId } = await lockProgram(ctx, input.programId);
    const setAt = ctx.clock.now();
    const secretLastFour = input.secret.slice(-4);
    const ciphertext = ctx.cipher.encrypt(input.secret, { table: 'stripe_signing_secret', column: 'ciphertext', row: programId });
    await execute(
      ctx.em,
      sql`insert into stripe_signing_secret (program_id, ciphertext, last_four, set_by, set_at) values
        (${programId}::uuid, ${ciphertext}, ${secretLastFour}, ${actorName(ctx.actor)}, ${setAt.toISOString()}::timestamptz)
        on conflict (program_id) do update set ciphertext = excluded.ciphertext, last_four = excluded.last_four,
          set_by = excluded.set_by, set_at = excluded.set_at`,
    );
    return { programId, secretLastFour, setAt };
  });
