import type { FaultClass } from '../../../../src/contracts/faults.ts';
import { STRIPE_FAULTS } from '../../../../src/contracts/stripe-faults.ts';
import type { OnlineRail, TransferOrder } from '../../../../src/domains/payouts/rails/rail.ts';
import { type StripeAccount, stripeConnectRail } from '../../../../src/domains/payouts/rails/stripe_connect/stripe-connect.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { type OnlineDouble, type RecordField, railConformance } from '../../../support/rails/conformance.ts';
import { platformKey, startStripeConnect } from '../../../support/stripe/connect/connect-server.ts';
import { until } from '../../../support/until.ts';
import { orderFor } from './support.ts';

const NOTICE_URL = 'https://tributary.test/api/integrations/rails/stripe_connect/m1';

const open = (account: StripeAccount, providerUrl: string): OnlineRail =>
  stripeConnectRail.open(account, { noticeUrl: NOTICE_URL, providerUrl, clock: systemClock });

/** As a merchant connects it: the first check makes the webhooks. */
const connect = async (secretKey: string, url: string): Promise<StripeAccount> => {
  const rail = open({ secretKey }, url);
  const learned = (await rail.check())?.learned;
  await rail.close();
  return { secretKey, ...learned };
};

const misstated = (field: RecordField, value: unknown): object => {
  if (field === 'reference') return { metadata: { payoutId: value } };
  if (field !== 'state') return { [field]: value };
  if (value === 'reversed') return { reversed: true, amount_reversed: 12_500 };
  return value === 'paid' ? {} : { reversed: true };
};

const MAX = 99_999_999;

const startDouble = async (): Promise<OnlineDouble> => {
  const stripe = await startStripeConnect();
  const [one, two] = [platformKey('one'), platformKey('two')];
  for (const currency of ['eur', 'usd', 'jpy', 'kwd', 'mga', 'isk']) await stripe.setBalance(one, currency, 10 * MAX);
  await stripe.setBalance(two, 'eur', MAX);
  const payees = {
    paid: await stripe.makePayee(one),
    returned: await stripe.makePayee(one, { email: 'returned@example.com' }),
    fee: await stripe.makePayee(one, { email: 'fee@example.com' }),
  };
  const credentials = {
    first: await connect(one, stripe.url),
    second: await connect(two, stripe.url),
    wrong: { secretKey: 'sk_test_wrong' },
  };
  const order = (behaviour: keyof typeof payees): TransferOrder => {
    const made = orderFor(behaviour);
    return { ...made, details: { ...made.details, connected: { rail: 'stripe_connect', account: payees[behaviour] } } };
  };
  const faults = [...STRIPE_FAULTS].filter(([code]) => !/^http_|^reversed$|^idempotency_key_in_use$|^api_key/.test(code));
  return {
    url: stripe.url,
    open: (url, account) => open(credentials[account], url),
    credentialOf: ({ headers }) => String(headers['authorization']).replace('Bearer ', ''),
    isPayment: (path) => path.startsWith('/v1/transfers'),
    life: { submitted: 'paid', told: ['paid', 'paid', 'returned'] },
    order,
    withText: (given, text) => ({ ...given, details: { ...given.details, bankAccountHolder: text } }),
    isSentTexts: false,
    states: { paid: 'paid', reversed: 'returned' },
    errors: Object.fromEntries(faults) as Record<string, FaultClass>,
    errorAnswer: (code) => ({
      status: 400,
      body: JSON.stringify({
        error: { type: 'invalid_request_error', code, param: 'destination', message: 'private@example.com' },
      }),
    }),
    misstate(body, field, value) {
      const list = JSON.parse(body) as { data: object[] };
      return JSON.stringify({ ...list, data: list.data.map((transfer) => ({ ...transfer, ...misstated(field, value) })) });
    },
    executions: async ({ idempotencyKey }) => (await stripe.executions(one))[idempotencyKey] ?? 0,
    notices: ({ idempotencyKey }, count) =>
      until(
        `${count} notices`,
        async () =>
          (await stripe.events(one))
            .filter(({ about }) => about === idempotencyKey)
            .slice(0, count)
            .map(({ headers, body }) => ({ headers, rawBody: Buffer.from(body) })),
        ({ length }) => length >= count,
      ),
    fee: { amountMinor: 7, currency: 'usd' },
    canPay: (given) => stripeConnectRail.canPay(given, credentials.first),
    edges: [
      { amountMinor: 1, currency: 'eur', refusal: null },
      { amountMinor: MAX, currency: 'usd', refusal: null },
      { amountMinor: MAX + 1, currency: 'usd', refusal: 'above_limit' },
      { amountMinor: 7, currency: 'jpy', refusal: null },
      { amountMinor: 7, currency: 'isk', refusal: null },
      { amountMinor: 500, currency: 'mga', refusal: null },
      { amountMinor: 550, currency: 'mga', refusal: 'decimals' },
      { amountMinor: 5_120, currency: 'kwd', refusal: null },
      { amountMinor: 5_124, currency: 'kwd', refusal: 'decimals' },
      { amountMinor: 5, currency: 'kpw', refusal: 'currency' },
    ],
    missing: ['credentials'],
    stop: () => stripe.close(),
  };
};

railConformance('stripe_connect', startDouble);
