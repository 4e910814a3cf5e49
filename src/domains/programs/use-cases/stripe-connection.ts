import { randomUUID } from 'node:crypto';
import { valuesOf } from '../../../platform/audit-log/record-change.ts';
import { after, MINUTE_MS } from '../../../platform/clock.ts';
import { type Context, callerOf, grantIdOf, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { isGranted } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { lockProgram } from '../lock-program.steps.ts';
import { type Program, STRIPE_FIELDS } from '../program.entity.ts';
import { emitProgramUpdated, recordProgramChange, saveProgram } from '../save-program.steps.ts';
import { STRIPE_OAUTH_PATH } from '../stripe-connect.calls.ts';
import { signStripeState } from '../stripe-state.rules.ts';

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
  const request = { state, grantId: grantIdOf(callerOf(ctx)), expiresAt, usedAt: null, accountId: null, livemode: null };
  await execute(
    ctx.em,
    db
      .insertInto('stripe_connect_request')
      .values({ programId, ...request })
      .onConflict((conflict) => conflict.column('programId').doUpdateSet(request)),
  );
  return state;
};

/** A request can be used once. Null when it was used, replaced or has expired, or when whoever made it may no longer act. */
export const useStripeRequest = (ctx: Context, input: { state: string }): Promise<{ programId: string } | null> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now().toISOString();
    return firstRow(
      ctx.em,
      db
        .updateTable('stripe_connect_request as r')
        .set({ usedAt: now })
        .where('r.state', '=', input.state)
        .where('r.usedAt', 'is', null)
        .where('r.expiresAt', '>', now)
        .where(isGranted(ctx, sql.ref('r.grantId')))
        .returning('r.programId'),
    );
  });

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
