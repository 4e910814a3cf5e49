import { randomUUID } from 'node:crypto';
import { attemptKey } from '../../../../src/domains/payouts/payout-attempt.entity.ts';
import { createPayPalRail, paypalRail } from '../../../../src/domains/payouts/rails/paypal/paypal.ts';
import type { TransferOrder } from '../../../../src/domains/payouts/rails/rail.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { type OnlineDouble, type RawNotice, type RecordField, railConformance } from '../../../support/rails/conformance.ts';
import { startNoticeReceiver } from '../../../support/rails/notice-receiver.ts';
import { startPayPalDouble } from '../../../support/rails/paypal-double.ts';
import { until } from '../../../support/until.ts';
import { orderFor } from './support.ts';

const LOCALS = { paid: 'ok', returned: 'refunded', fee: 'fee' } as const;
const ITEM_EVENT = /"event_type":"PAYMENT\.PAYOUTS-ITEM\./;

/** Where the fields stand in an item. */
const misstated = (body: string, field: RecordField, value: unknown): string => {
  const item = JSON.parse(body) as { transaction_status: unknown; payout_item: { amount: object; [name: string]: unknown } };
  const { payout_item: about } = item;
  const amount = (change: object) => ({ ...item, payout_item: { ...about, amount: { ...about.amount, ...change } } });
  const changed = {
    amount: () => amount({ value: '1.00' }),
    currency: () => amount({ currency: String(value).toUpperCase() }),
    reference: () => ({ ...item, payout_item: { ...about, sender_item_id: value } }),
    receiver: () => ({ ...item, payout_item: { ...about, receiver: value } }),
    state: () => ({ ...item, transaction_status: value }),
  };
  return JSON.stringify(changed[field]());
};

const isComingBack = ({ details }: TransferOrder): boolean => details.paypalEmail?.startsWith(LOCALS.returned) === true;

const startDouble = async (): Promise<OnlineDouble> => {
  const double = await startPayPalDouble();
  const receiver = await startNoticeReceiver();
  const [first, second] = ['first-client', 'second-client'].map((id) => double.accountOf(id));
  if (!first || !second) throw new Error('no accounts');
  const opened = (url: string, account: typeof first & { webhookId?: string }) =>
    createPayPalRail({
      account,
      clock: systemClock,
      noticeUrl: receiver.url,
      providerUrl: url,
      deadlines: { createMs: 1_000, readMs: 1_000 },
    });
  // As a merchant does it: the check makes the webhook, and its id is kept.
  const { learned } = (await opened(double.url, first).check()) ?? {};
  const webhookId = String(learned?.['webhookId']);
  const noticesOf = (order: TransferOrder): RawNotice[] =>
    // Those of batches tell nothing by themselves.
    receiver.received.filter(({ rawBody }) => {
      const body = String(rawBody);
      return body.includes(order.reference) && (!isComingBack(order) || ITEM_EVENT.test(body));
    });
  return {
    url: double.url,
    open(url, account) {
      if (account === 'first') return opened(url, { ...first, webhookId });
      if (account === 'second') return opened(url, second);
      return opened(url, { ...first, clientSecret: randomUUID(), webhookId: 'WEBHOOK-OF-ANOTHER' });
    },
    credentialOf: ({ headers }) => String(headers['authorization']),
    isPayment: (path) => path.startsWith('/v1/payments/'),
    life: { submitted: 'accepted', told: ['paid', 'returned'] },
    order(behaviour) {
      const order = orderFor(LOCALS[behaviour]);
      return { ...order, idempotencyKey: attemptKey(order.reference, 1) };
    },
    unclaimed() {
      const order = orderFor('unclaimed');
      return { ...order, idempotencyKey: attemptKey(order.reference, 1) };
    },
    withText: (order, text) => ({ ...order, details: { ...order.details, bankAccountHolder: text } }),
    isSentTexts: false,
    states: {
      SUCCESS: 'paid',
      PENDING: 'accepted',
      ONHOLD: 'accepted',
      UNCLAIMED: 'accepted',
      FAILED: 'failed',
      RETURNED: 'returned',
      REFUNDED: 'returned',
      REVERSED: 'returned',
    },
    errors: {
      RECEIVER_COUNTRY_NOT_ALLOWED: 'payee',
      INSUFFICIENT_FUNDS: 'account',
      SENDER_RESTRICTED: 'account',
      NON_HOLDING_CURRENCY: 'account',
      VALIDATION_ERROR: 'order',
      RISK_DECLINE: 'compliance',
      rate_limited: 'unclear',
    },
    errorAnswer: (name) => ({ status: 400, body: JSON.stringify({ name, message: 'refused', debug_id: 'd', details: [] }) }),
    misstate: misstated,
    hasReceiver: true,
    limitedPauseMs: 60_000,
    tokens: { path: '/v1/oauth2/token', revoke: () => double.revokeTokens(first.clientId) },
    executions: async ({ reference }) => (await double.items({ reference })).length,
    notices: (order, count) =>
      until(
        `${count} notices`,
        async () => noticesOf(order).slice(0, count),
        ({ length }) => length >= count,
      ),
    fee: { amountMinor: 25, currency: 'usd' },
    canPay: (order) => paypalRail.canPay(order, first),
    edges: [
      { amountMinor: 1, currency: 'eur', refusal: null },
      { amountMinor: 2_000_000, currency: 'usd', refusal: null },
      { amountMinor: 2_000_001, currency: 'usd', refusal: 'above_limit' },
      { amountMinor: 100, currency: 'huf', refusal: null },
      { amountMinor: 150, currency: 'huf', refusal: 'decimals' },
      { amountMinor: 1, currency: 'jpy', refusal: null },
      { amountMinor: 100, currency: 'inr', refusal: 'currency' },
    ],
    missing: ['credentials'],
    async stop() {
      await double.stop();
      await receiver.close();
    },
  };
};

railConformance('paypal', startDouble);
