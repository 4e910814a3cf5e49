import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { finishStripeConnect, type StripeConnectOutcome } from './finish-stripe-connect.ts';

const callbackQuery = z.object({ state: z.string().max(200), code: z.string().min(1).max(500).optional() });

const AGAIN = 'Start again with POST /programs/{id}/connect-stripe.';

const PAGES: Readonly<Record<StripeConnectOutcome, { status: 200 | 400 | 500; text: string }>> = {
  connected: { status: 200, text: 'The program is connected to Stripe. You can close this window.' },
  denied: { status: 400, text: 'You did not grant access to the Stripe account. Nothing was changed.' },
  invalid: { status: 400, text: `This link was used before, has expired or was replaced by a newer one. ${AGAIN}` },
  rejected: { status: 400, text: `Stripe rejected the authorization. ${AGAIN}` },
  other_account: { status: 400, text: 'The program is connected to another Stripe account. Disconnect that one first.' },
  unavailable: { status: 500, text: `Stripe did not respond. Nothing was changed. ${AGAIN}` },
};

/** What the browser shows that Stripe sent back. */
export const handleStripeCallback = async (ctx: Context, given: unknown): Promise<{ status: number; text: string }> => {
  const { state, code } = callbackQuery.safeParse(given).data ?? { state: '' };
  const outcome = await finishStripeConnect(ctx, { state, code: code ?? null });
  ctx.log.info({ outcome }, 'Stripe connection finished');
  return PAGES[outcome];
};
