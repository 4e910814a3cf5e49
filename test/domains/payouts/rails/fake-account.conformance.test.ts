import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../../src/platform/clock.ts';
import { type OnlineDouble, railConformance } from '../../../support/rails/conformance.ts';
import { FAKE_ENTRY, FAKE_FAULTS, FAKE_STATES, fakeAccountRail } from '../../../support/rails/fake-account-rail.ts';
import { startFakeProvider } from '../../../support/rails/fake-provider.ts';
import { registerRail } from '../../../support/rails/register.ts';
import { until } from '../../../support/until.ts';
import { orderFor } from './support.ts';

let unregister: () => void;
beforeAll(() => {
  unregister = registerRail(fakeAccountRail, FAKE_ENTRY);
});
afterAll(() => unregister());

const startDouble = async (): Promise<OnlineDouble> => {
  const provider = await startFakeProvider();
  const credentials = { first: provider.accountOf('one'), second: provider.accountOf('two'), wrong: provider.accountOf('none') };
  return {
    url: provider.url,
    open(url, account) {
      const wrong = account === 'wrong' ? { clientSecret: randomUUID() } : {};
      const rail = fakeAccountRail.open({ ...credentials[account], ...wrong, url }, { noticeUrl: null, clock: systemClock });
      if (rail?.kind !== 'online') throw new Error('not online');
      return rail;
    },
    credentialOf: ({ headers }) => String(headers['authorization']),
    isPayment: (path) => path.startsWith('/payments'),
    order: (behaviour) => orderFor(behaviour),
    unclaimed: () => orderFor('unclaimed'),
    withText: (order, text) => ({ ...order, details: { ...order.details, bankAccountHolder: text } }),
    states: FAKE_STATES,
    errors: FAKE_FAULTS,
    errorAnswer: (code) => ({ status: 422, body: JSON.stringify({ error: code }) }),
    misstate: (body, field, value) => JSON.stringify({ ...JSON.parse(body), [field]: value }),
    executions: async ({ reference }) => provider.payments.filter((payment) => payment.reference === reference).length,
    notices: ({ reference }, count) =>
      until(
        `${count} notices`,
        () => provider.notices.filter((notice) => notice.reference === reference).slice(0, count),
        ({ length }) => length >= count,
      ),
    fee: { amountMinor: 7, currency: 'usd' },
    canPay: (order) => fakeAccountRail.canPay(order),
    edges: [
      { amountMinor: 1, currency: 'eur', refusal: null },
      { amountMinor: 2_000_000, currency: 'usd', refusal: null },
      { amountMinor: 2_000_001, currency: 'usd', refusal: 'above_limit' },
      { amountMinor: 100, currency: 'huf', refusal: null },
      { amountMinor: 150, currency: 'huf', refusal: 'decimals' },
      { amountMinor: 100, currency: 'gbp', refusal: 'currency' },
    ],
    missing: ['credentials'],
    stop: () => provider.close(),
  };
};

railConformance('fake_account', startDouble);
