import { randomUUID } from 'node:crypto';
import { after, MINUTE_MS } from '../../../platform/clock.ts';
import { type Context, callerOf, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { STRIPE_OAUTH_PATH } from '../../../platform/stripe/stripe-connect.ts';
import { db } from '../../tables.ts';
import { lockProgram } from '../lock-program.ts';
import type { Program } from '../program.entity.ts';
import { signStripeState } from '../stripe-state.ts';

export interface StripeConnectStart {
  program: Program;
  /** Null when the program is connected already. */
  authUrl: string | null;
}

const EXPIRES_AFTER_MS = 30 * MINUTE_MS;

/**
 * Each call ends the URL of the call before. The URL can be used once: it leads to Stripe, and back to a page that asks whoever granted
 * access whether the account is to be connected to this program.
 */
export const connectStripe = (ctx: Context, input: { programId: string }): Promise<StripeConnectStart> =>
  inTransaction(ctx, async (ctx) => {
    const program = await lockProgram(ctx, input.programId);
    const { stripeConnect } = ctx.settings;
    if (!stripeConnect) {
      throw conflict(
        'STRIPE_NOT_CONFIGURED',
        'Stripe Connect is not configured on this server. Receive the events of your own Stripe account instead: see the guide "Stripe"',
      );
    }
    if (program.stripeAccountId) return { program, authUrl: null };
    const state = await saveRequest(ctx, program.id);
    const { publicUrl } = ctx.settings;
    return { program, authUrl: `${publicUrl}${STRIPE_OAUTH_PATH}/start?state=${signStripeState(ctx.cipher, state)}` };
  });

const saveRequest = async (ctx: Context, programId: string): Promise<string> => {
  const state = randomUUID();
  const expiresAt = after(ctx.clock.now(), EXPIRES_AFTER_MS);
  const request = { state, keyId: callerOf(ctx).keyId, expiresAt, usedAt: null, accountId: null, livemode: null };
  await execute(
    ctx.em,
    db
      .insertInto('stripe_connect_request')
      .values({ programId, ...request })
      .onConflict((conflict) => conflict.column('programId').doUpdateSet(request)),
  );
  return state;
};
