import { z } from 'zod';
import { ACCOUNT_FORMS } from '../../../../contracts/account-forms.ts';
import { refusalOf } from '../../../../contracts/rail-refusals.ts';
import { RAILS } from '../../../../contracts/rails.ts';
import { AppError } from '../../../../platform/errors.ts';
import { type Answer, failedAnswer, type Redacted } from '../answer.ts';
import type { OnlineRail, RailDefinition, RailTools, TransferOrder } from '../rail.ts';
import { balancesOf, checkAccount } from './stripe-account.ts';
import { ATTEMPT_FIELD, answerOfLookUp, answerOfSend, isKeptRefusal, PAYOUT_FIELD } from './stripe-answers.ts';
import { openStripe, type StripeCalls } from './stripe-library.ts';
import { listMovements } from './stripe-list.ts';
import { toStripeAmount } from './stripe-money.ts';
import { readStripeNotice } from './stripe-notices.ts';
import { payeesOf } from './stripe-payees.ts';

const RAIL = 'stripe_connect';
const { facts } = RAILS[RAIL];

const text = z.string().min(1).max(255);

const accountSchema = z.object({
  secretKey: z
    .string()
    .max(255)
    .regex(/^[rs]k_(live|test)_[A-Za-z0-9_]+$/, 'must be a secret or restricted key of Stripe (sk_… or rk_…)'),
  /** Learned by a check, as is all that follows. */
  webhookId: text.optional(),
  webhookSecret: text.optional(),
  connectWebhookId: text.optional(),
  connectWebhookSecret: text.optional(),
});

export type StripeAccount = z.output<typeof accountSchema>;

const SUBMIT_DEADLINE_MS = 8_000;
const DEADLINE_MS = 5_000;

/** Keys of one order, each used once the answer under the one before is a kept refusal of the account. */
const MAX_KEYS = 8;
const keyOf = (idempotencyKey: string, n: number): string => (n === 0 ? idempotencyKey : `${idempotencyKey}/${n + 1}`);

const redactOrder = ({ idempotencyKey, reference, amountMinor, currency, details }: TransferOrder): Redacted => ({
  ...{ idempotencyKey, reference, amountMinor, currency },
  lastFour: details.connected?.account.slice(-4) ?? null,
});

const open = (account: StripeAccount, { clock, noticeUrl, providerUrl = null }: RailTools): OnlineRail => {
  const { secretKey, webhookSecret, connectWebhookSecret } = account;
  const stripe = openStripe({ secretKey, url: providerUrl, clock });
  const secrets = [webhookSecret, connectWebhookSecret].filter((secret) => secret !== undefined);
  const payees = payeesOf(stripe);
  return {
    name: RAIL,
    kind: 'online',
    facts,
    payees,
    check: () => checkAccount(stripe, { ...account, noticeUrl }),
    submit: (order) => submit(stripe, order),
    async lookUp(attempt) {
      const { idempotencyKey } = attempt;
      const params = { transfer_group: idempotencyKey, limit: 10, expand: ['data.balance_transaction'] };
      const heard = await stripe.ask(DEADLINE_MS, (library, options) => library.transfers.list(params, options));
      return answerOfLookUp(heard, { order: attempt, request: { idempotencyKey } });
    },
    async readNotice(headers, rawBody) {
      const read = await readStripeNotice({ headers, rawBody, secrets, now: clock.now() });
      if ('payments' in read) return read.payments;
      if ('unread' in read) return read;
      // Events of an account come in any order, so none of them says how it is now.
      const payee = await payees.look(read.payee);
      return payee ? { payee } : { unread: 'try_later', why: 'The account cannot be read at Stripe now' };
    },
    list: (since, until, cursor) => listMovements(stripe, { since, until, cursor }),
    async balances() {
      const heard = await stripe.ask(DEADLINE_MS, (library, options) => library.balance.retrieve({}, options));
      if (!('value' in heard)) throw new AppError('INTERNAL_ERROR', 'Stripe did not tell the balance of the account');
      return balancesOf(heard.value).all;
    },
    close: () => stripe.close(),
  };
};

/** Under the first key whose answer is not a kept refusal. */
const submit = async (stripe: StripeCalls, order: TransferOrder): Promise<Answer> => {
  const request = redactOrder(order);
  const { amountMinor, currency, idempotencyKey, reference, details } = order;
  const destination = details.connected?.account;
  if (destination === undefined)
    return failedAnswer({ class: 'payee', code: 'no_account' }, { request, response: { sent: false } });
  const params = {
    amount: toStripeAmount(amountMinor, currency),
    ...{ currency, destination, transfer_group: idempotencyKey },
    metadata: { [PAYOUT_FIELD]: reference, [ATTEMPT_FIELD]: idempotencyKey },
    expand: ['balance_transaction'],
  };
  const endMs = performance.now() + SUBMIT_DEADLINE_MS;
  for (let n = 0; ; n += 1) {
    const leftMs = Math.max(1, Math.ceil(endMs - performance.now()));
    const heard = await stripe.ask(leftMs, (library, options) =>
      library.transfers.create(params, { ...options, idempotencyKey: keyOf(idempotencyKey, n) }),
    );
    const isLast = n + 1 === MAX_KEYS || performance.now() >= endMs;
    if (isLast || !isKeptRefusal(heard)) return answerOfSend(heard, { order, request });
  }
};

/** Asks Stripe whose key it is. Test keys and live keys of one account see different accounts of payees. */
const identityOf = async ({ secretKey }: StripeAccount, { clock, providerUrl = null }: RailTools): Promise<string> => {
  const stripe = openStripe({ secretKey, url: providerUrl, clock });
  try {
    const heard = await stripe.ask(DEADLINE_MS, (library, options) => library.accounts.retrieveCurrent({}, options));
    if ('value' in heard) return `${heard.value.id} ${secretKey.includes('_live_') ? 'live' : 'test'}`;
    if ('error' in heard && heard.error.status === 401)
      throw new AppError('VALIDATION_ERROR', 'Stripe does not accept the secret key');
    throw new AppError('INTERNAL_ERROR', 'Stripe did not tell whose account this is; try again later');
  } finally {
    await stripe.close();
  }
};

/** Transfers from a merchant's balance at Stripe to accounts that affiliates connected to it. */
export const stripeConnectRail = {
  name: RAIL,
  accountSchema,
  secrets: ['secretKey', 'webhookSecret', 'connectWebhookSecret'],
  learned: ['webhookId', 'webhookSecret', 'connectWebhookId', 'connectWebhookSecret'],
  form: ACCOUNT_FORMS.stripe_connect,
  urlVariable: 'STRIPE_API_URL',
  identityOf,
  canPay: ({ amountMinor, currency, details }, account) => {
    if (details.connected?.rail !== RAIL) return 'destination';
    return account === null ? null : refusalOf(RAIL, { amountMinor, currency, country: null });
  },
  open,
} satisfies RailDefinition<StripeAccount>;
