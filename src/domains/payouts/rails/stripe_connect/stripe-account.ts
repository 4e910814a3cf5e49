import type Stripe from 'stripe';
import type { AccountCheck, AccountFinding, RailAccount } from '../rail.ts';
import type { Heard, StripeCalls } from './stripe-library.ts';
import { fromStripeAmount } from './stripe-money.ts';
import { CONNECTED_EVENTS, OWN_EVENTS } from './stripe-notices.ts';

const DEADLINE_MS = 5_000;

/** What an earlier check set up. */
export interface StripeWebhooks {
  webhookId?: string | undefined;
  connectWebhookId?: string | undefined;
}

/** In minor units by currency: what may be paid now, and what is still on its way as well. */
export const balancesOf = ({ available, pending }: Pick<Stripe.Balance, 'available' | 'pending'>) => {
  const sum = (lines: readonly { amount: number; currency: string }[]): Record<string, number> => {
    const totals: Record<string, number> = {};
    for (const { amount, currency } of lines) totals[currency] = (totals[currency] ?? 0) + fromStripeAmount(amount, currency);
    return totals;
  };
  return { payable: sum(available), all: sum([...available, ...pending]) };
};

const missing = (name: string): AccountFinding => ({ name, isWarning: false });
const warning = (name: string): AccountFinding => ({ name, isWarning: true });

const isUnanswered = (heard: Heard<unknown>): boolean =>
  'problem' in heard || ('error' in heard && (heard.error.status >= 500 || heard.error.status === 429));

/** Asks for everything that payments need, and makes the webhooks. Null: Stripe did not answer. */
export const checkAccount = async (
  stripe: StripeCalls,
  { noticeUrl, ...webhooks }: StripeWebhooks & { noticeUrl: string | null },
): Promise<AccountCheck | null> => {
  const account = await stripe.ask(DEADLINE_MS, (library, options) => library.accounts.retrieveCurrent({}, options));
  if (isUnanswered(account)) return null;
  if ('error' in account && account.error.status === 401) return { findings: [missing('credentials')], balances: null };
  const [transfers, recipients, balance] = await Promise.all([
    stripe.ask(DEADLINE_MS, (library, options) => library.transfers.list({ limit: 1 }, options)),
    stripe.ask(DEADLINE_MS, (library, options) => library.accounts.list({ limit: 1 }, options)),
    stripe.ask(DEADLINE_MS, (library, options) => library.balance.retrieve({}, options)),
  ]);
  if ([transfers, recipients, balance].some(isUnanswered)) return null;
  const hook = noticeUrl === null ? null : await setUpWebhooks(stripe, noticeUrl, webhooks);
  const findings = [
    ...('error' in account ? [warning('account')] : []),
    ...('value' in account && account.value.charges_enabled === false ? [missing('account_restricted')] : []),
    ...('error' in transfers ? [missing('transfers')] : []),
    ...('error' in recipients ? [missing('connect')] : []),
    ...('error' in balance ? [warning('balance')] : []),
    ...(hook === null ? [warning('webhook')] : []),
  ];
  return {
    findings,
    balances: 'value' in balance ? balancesOf(balance.value).payable : null,
    ...(hook ? { learned: hook } : {}),
  };
};

/** Marks the webhooks that belong to us; their addresses alone could be those of another installation before. */
const MARK = 'tributary';
type Kind = 'own' | 'connected';

/**
 * Makes the two webhooks unless those of an earlier check are there and enabled: Stripe tells a secret only once, so what nobody knows the
 * secret of is made anew. Null: it could not be done, and look-ups suffice.
 */
const setUpWebhooks = async (stripe: StripeCalls, url: string, known: StripeWebhooks): Promise<RailAccount | null> => {
  const listed = await stripe.ask(DEADLINE_MS, (library, options) => library.webhookEndpoints.list({ limit: 100 }, options));
  if (!('value' in listed)) return null;
  const ours = listed.value.data.filter((endpoint) => endpoint.url === url && endpoint.metadata[MARK] !== undefined);
  const isKept = (id: string | undefined): boolean =>
    ours.some((endpoint) => endpoint.id === id && endpoint.status === 'enabled');
  const learned: Record<string, string> = {};
  for (const [kind, id] of [
    ['own', known.webhookId],
    ['connected', known.connectWebhookId],
  ] as const) {
    if (isKept(id)) continue;
    const made = await stripe.ask(DEADLINE_MS, (library, options) =>
      library.webhookEndpoints.create(webhookOf(url, kind), options),
    );
    if (!('value' in made) || made.value.secret === undefined) return null;
    const [idName, secretName] = FIELDS[kind];
    learned[idName] = made.value.id;
    learned[secretName] = made.value.secret;
  }
  const kept = [known.webhookId, known.connectWebhookId].filter(isKept);
  for (const { id } of ours.filter((endpoint) => !kept.includes(endpoint.id)))
    await stripe.ask(DEADLINE_MS, (library, options) => library.webhookEndpoints.del(id, {}, options));
  return learned;
};

const FIELDS: Readonly<Record<Kind, readonly [string, string]>> = {
  own: ['webhookId', 'webhookSecret'],
  connected: ['connectWebhookId', 'connectWebhookSecret'],
};

const webhookOf = (url: string, kind: Kind): Stripe.WebhookEndpointCreateParams => ({
  url,
  description: 'Tributary: payouts to affiliates',
  metadata: { [MARK]: kind },
  ...(kind === 'own'
    ? { connect: false, enabled_events: [...OWN_EVENTS] }
    : { connect: true, enabled_events: [...CONNECTED_EVENTS] }),
});
