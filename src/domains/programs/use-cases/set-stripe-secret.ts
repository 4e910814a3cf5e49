import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { lockProgram } from '../lock-program.steps.ts';
import { announceSecretChange } from '../signing-secrets.cache.ts';

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
    const { id: programId, merchantId } = await lockProgram(ctx, input.programId);
    const setAt = ctx.clock.now();
    const secretLastFour = input.secret.slice(-4);
    const ciphertext = ctx.cipher.encrypt(input.secret, { table: 'stripe_signing_secret', column: 'ciphertext', row: programId });
    // The endpoint may be of another account now.
    const secret = { ciphertext, lastFour: secretLastFour, setBy: actorName(ctx.actor), setAt, accountGroup: null };
    await execute(
      ctx.em,
      db
        .insertInto('stripe_signing_secret')
        .values({ programId, ...secret })
        .onConflict((conflict) => conflict.column('programId').doUpdateSet(secret)),
    );
    announceSecretChange(ctx, programId);
    const action = 'program.stripe_secret_set';
    await recordChange(ctx, { ownerId: merchantId, action, resourceId: programId, after: { secretLastFour } });
    return { programId, secretLastFour, setAt };
  });
