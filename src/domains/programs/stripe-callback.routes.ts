import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { enteredText, escapeHtml } from '../../platform/http/escape-html.ts';
import {
  beginStripeConnect,
  decideStripeConnect,
  finishStripeConnect,
  type StripeConnectOutcome,
} from './finish-stripe-connect.calls.ts';
import type { PendingStripeAccount } from './stripe-requests.steps.ts';

const state = z.string().max(200);
const startQuery = z.object({ state });
const callbackQuery = z.object({ state, code: z.string().min(1).max(500).optional() });
const decisionBody = z.object({ state, decision: z.enum(['connect', 'cancel']) });

const AGAIN = 'Start again with POST /programs/{id}/connect-stripe.';

const PAGES: Readonly<Record<StripeConnectOutcome, { status: 200 | 400 | 500; text: string }>> = {
  connected: { status: 200, text: 'The program is connected to Stripe. You can close this window.' },
  cancelled: {
    status: 200,
    text: 'Nothing was connected, and the access to the Stripe account has ended. You can close this window.',
  },
  denied: { status: 400, text: 'You did not grant access to the Stripe account. Nothing was changed.' },
  invalid: { status: 400, text: `This link was used before, has expired or was replaced by a newer one. ${AGAIN}` },
  other_browser: { status: 400, text: `Nothing was connected: this was begun in another browser, or cookies are off. ${AGAIN}` },
  rejected: { status: 400, text: `Stripe rejected the authorization. ${AGAIN}` },
  other_account: { status: 400, text: 'The program is connected to another Stripe account. Disconnect that one first.' },
  unavailable: { status: 500, text: `Stripe did not respond. Nothing was changed. ${AGAIN}` },
};

export interface BrowserPage {
  status: 200 | 400 | 500;
  html: string;
}

const pageFor = (outcome: StripeConnectOutcome): BrowserPage => ({
  status: PAGES[outcome].status,
  html: `<p>${PAGES[outcome].text}</p>`,
});

const confirmationOf = (pending: PendingStripeAccount, state: string): BrowserPage => {
  const { programName, companyName, accountId, livemode } = pending;
  const facts = [
    ['Program', programName],
    ['Company', companyName],
    ['Stripe account', `${accountId}, ${livemode ? 'live' : 'test'} mode`],
  ].map(([name = '', value = '']) => `<dt>${name}</dt><dd>${enteredText(value)}</dd>`);
  const button = (decision: string, text: string): string => `<button name="decision" value="${decision}">${text}</button>`;
  return {
    status: 200,
    html: `<h1>Connect this Stripe account?</h1><dl>${facts.join('')}</dl><p>The company gets read access to the payments of this account. Connect it only if you manage both.</p><form method="post" action="decision"><input type="hidden" name="state" value="${escapeHtml(state)}">${button('connect', 'Connect')} ${button('cancel', 'Cancel')}</form>`,
  };
};

/** Where a URL of `connectStripe` leads: the page at Stripe, with the state that the browser has to remember. */
export const handleStripeStart = async (ctx: Context, given: unknown): Promise<{ url: string; state: string } | BrowserPage> => {
  const { state } = startQuery.safeParse(given).data ?? { state: '' };
  const url = await beginStripeConnect(ctx, { state });
  return url === null ? pageFor('invalid') : { url, state };
};

/** What the browser shows that Stripe sent back. `remembered`: the state with which this browser began. */
export const handleStripeCallback = async (ctx: Context, given: unknown, remembered: string | null): Promise<BrowserPage> => {
  const { state, code } = callbackQuery.safeParse(given).data ?? { state: '' };
  const result = await finishStripeConnect(ctx, { state, code: code ?? null, isSameBrowser: remembered === state });
  const outcome = typeof result === 'string' ? result : 'waits for a decision';
  ctx.log.info({ outcome }, 'Stripe sent a browser back');
  return typeof result === 'string' ? pageFor(result) : confirmationOf(result, state);
};

export const handleStripeDecision = async (ctx: Context, given: unknown, remembered: string | null): Promise<BrowserPage> => {
  const { state, decision } = decisionBody.safeParse(given).data ?? { state: '', decision: 'cancel' };
  const outcome = await decideStripeConnect(ctx, { state, accept: decision === 'connect', isSameBrowser: remembered === state });
  ctx.log.info({ outcome }, 'Stripe connection finished');
  return pageFor(outcome);
};
