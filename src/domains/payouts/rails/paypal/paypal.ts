import { ACCOUNT_FORMS } from '../../../../contracts/account-forms.ts';
import { toMajorUnits } from '../../../../contracts/currencies.ts';
import { refusalByFacts } from '../../../../contracts/rail-refusals.ts';
import { RAILS, type RailFacts } from '../../../../contracts/rails.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { OnlineRail, RailDefinition } from '../rail.ts';
import { createRailHttp } from '../rail-http.ts';
import { PAYPAL_URLS, type PayPalAccount, paypalAccountSchema } from './paypal-account.ts';
import { createPayPalCalls } from './paypal-calls.ts';
import { createCertificateSource } from './paypal-certificates.ts';
import { checkPayPal } from './paypal-check.ts';
import { createPayPalClient, DEADLINES, type Deadlines } from './paypal-client.ts';
import { readPayPalNotice } from './paypal-notices.ts';
import { listPayPal, readBalances } from './paypal-reports.ts';
import { walkPayPalSandbox } from './paypal-walk.ts';

export interface PayPalRailOptions {
  account: PayPalAccount;
  clock: Clock;
  noticeUrl: string | null;
  /** A double of PayPal's sandbox, never in production. Null: PayPal itself. */
  providerUrl: string | null;
  deadlines?: Deadlines;
}

export const createPayPalRail = ({ account, clock, noticeUrl, providerUrl, deadlines }: PayPalRailOptions): OnlineRail => {
  const { environment, webhookId } = account;
  // Money of a live account goes nowhere else.
  const double = environment === 'sandbox' ? providerUrl : null;
  const http = createRailHttp({ url: double ?? PAYPAL_URLS[environment], headers: {}, clock });
  const calls = createPayPalCalls(http, account, clock);
  const certificates = createCertificateSource(environment, double);
  return {
    name: 'paypal',
    kind: 'online',
    facts: RAILS.paypal.facts,
    ...createPayPalClient(calls, deadlines ?? DEADLINES),
    check: () => checkPayPal(calls, { noticeUrl, isAnyAddressTaken: double !== null }),
    readNotice: (headers, rawBody) =>
      readPayPalNotice({ headers, rawBody }, { environment, webhookId, certificates, now: clock.now() }),
    list: (since, until, cursor) => listPayPal(calls, { since, until, cursor }),
    balances: () => readBalances(calls),
    close: () => http.close(),
  };
};

/** PayPal's published limits, with those of the account in place of them. */
const factsWith = ({ itemLimit = {} }: Partial<PayPalAccount>): RailFacts => {
  const facts: RailFacts = RAILS.paypal.facts;
  const own = Object.entries(facts.currencies).map(([currency, known]) => {
    const limit = itemLimit[currency];
    return [currency, known && limit !== undefined ? { ...known, max: toMajorUnits(limit, currency) } : known];
  });
  return { ...facts, currencies: Object.fromEntries(own) };
};

/** The longest receiver that PayPal takes. */
const MAX_RECEIVER = 127;

/** PayPal Payouts (REST v1), from the account of each merchant. */
export const paypalRail = {
  name: 'paypal',
  accountSchema: paypalAccountSchema,
  secrets: ['clientSecret'],
  learned: ['webhookId'],
  form: ACCOUNT_FORMS.paypal,
  urlVariable: 'PAYPAL_API_URL',
  identityOf: ({ environment, clientId }) => `${environment} ${clientId}`,
  canPay({ amountMinor, currency, details }, account) {
    if (account === null) return 'no_account';
    const { method, paypalEmail } = details;
    if (method !== 'paypal' || paypalEmail === null || Buffer.byteLength(paypalEmail) > MAX_RECEIVER) return 'destination';
    return refusalByFacts(factsWith(account), { amountMinor, currency, country: null });
  },
  open: (account, { clock, noticeUrl, providerUrl = null }) => createPayPalRail({ account, clock, noticeUrl, providerUrl }),
  sandboxWalk: walkPayPalSandbox,
} satisfies RailDefinition<PayPalAccount>;
