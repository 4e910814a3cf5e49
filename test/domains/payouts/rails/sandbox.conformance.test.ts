import { refusalOf } from '../../../../src/contracts/rail-refusals.ts';
import { createSandboxRail } from '../../../../src/domains/payouts/rails/sandbox.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { generateSigningSecret } from '../../../../src/platform/crypto/standard-webhooks.ts';
import { startNotificationReceiver } from '../../../support/notification-receiver.ts';
import { type OnlineDouble, railConformance } from '../../../support/rails/conformance.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { until } from '../../../support/until.ts';
import { orderFor } from './support.ts';

const FIELDS = { amount: 'amount', currency: 'currency', reference: 'reference', receiver: 'receiver', state: 'status' } as const;
const LOCALS = { paid: 'ok', returned: 'returned', fee: 'fee' } as const;

const startDouble = async (): Promise<OnlineDouble> => {
  const receiver = await startNotificationReceiver();
  const sandbox = await startSandbox({ notificationUrl: receiver.url });
  const second = await startSandbox();
  return {
    url: sandbox.url,
    open(url, account) {
      const keys = { first: sandbox.apiKey, second: 'key-of-the-second-account', wrong: 'wrong-key' };
      const secrets = { first: sandbox.notificationSecret, second: second.notificationSecret, wrong: generateSigningSecret() };
      const deadlines = { submitDeadlineMs: 1_000, lookUpDeadlineMs: 1_000 };
      return createSandboxRail({
        url,
        apiKey: keys[account],
        notificationSecret: secrets[account],
        clock: systemClock,
        ...deadlines,
      });
    },
    credentialOf: ({ headers }) => String(headers['authorization']),
    isPayment: (path) => path.startsWith('/v1/transfers'),
    order: (behaviour) => orderFor(LOCALS[behaviour]),
    withText: (order, text) => ({
      ...order,
      details: {
        ...{ method: 'bank_transfer', paypalEmail: null, bankIban: 'DE89 3704 0044 0532 0130 00', bankBic: null },
        bankAccountHolder: text,
      },
    }),
    states: { accepted: 'accepted', paid: 'paid', failed: 'failed', returned: 'returned' },
    errors: {
      account_closed: 'payee',
      AC04: 'payee',
      insufficient_funds: 'account',
      AC13: 'account',
      FF01: 'order',
      RR04: 'compliance',
    },
    errorAnswer: (code) => ({ status: 422, body: JSON.stringify({ error: { code, message: 'refused' } }) }),
    misstate: (body, field, value) => JSON.stringify({ ...JSON.parse(body), [FIELDS[field]]: value }),
    executions: async ({ reference }) =>
      (await sandbox.transfers())
        .filter((transfer) => transfer.reference === reference)
        .reduce((total, { executedCount }) => total + executedCount, 0),
    notices: ({ reference }, count) =>
      until(
        `${count} notices`,
        () => receiver.received.filter(({ body }) => body.transfer['reference'] === reference),
        ({ length }) => length >= count,
      ),
    fee: { amountMinor: 25, currency: 'eur' },
    canPay: ({ amountMinor, currency }) => refusalOf('sandbox', { amountMinor, currency, country: null }),
    edges: [
      { amountMinor: 1, currency: 'eur', refusal: null },
      { amountMinor: 1, currency: 'jpy', refusal: null },
      { amountMinor: 1_000_000_000, currency: 'usd', refusal: null },
      { amountMinor: 1_000_000_001, currency: 'usd', refusal: 'above_limit' },
      { amountMinor: 100, currency: 'kpw', refusal: 'currency' },
    ],
    missing: ['credentials'],
    async stop() {
      await Promise.all([sandbox.stop(), second.stop()]);
      await receiver.close();
    },
  };
};

railConformance('sandbox', startDouble);
