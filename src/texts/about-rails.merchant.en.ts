import type { Rail } from '../contracts/rails.ts';
import type { CheckedText } from './rail-accounts.merchant.en.ts';

/** Names of the buttons on an account's page. */
export const accountButtons = { check: 'Check again' } as const;

/** What a provider is, for somebody who decides whether to connect an account of it. */
interface AboutRail {
  /** As a title. */
  name: string;
  /** The company's account, as in "Connect …". */
  account: string;
  what: string;
  needs: string;
  /** In the folder of guides; null: there is none. */
  guide: string | null;
  /** What a check asks, in the order of the report. Empty: nobody can be asked. */
  checks: readonly CheckedText[];
}

const PERSON = {
  name: 'Manual',
  account: 'nothing',
  what: 'Your team pays outside Tributary and records each payment here.',
  needs: 'You need nothing else.',
  guide: 'pay-manually',
  checks: [],
};

export const ABOUT_RAILS: Readonly<Record<Rail, AboutRail>> = {
  manual: PERSON,
  paypal: {
    name: 'PayPal',
    account: 'your PayPal account',
    what: "Tributary pays affiliates from your company's PayPal balance to their PayPal addresses.",
    needs: 'You need a PayPal business account with Payouts enabled, and the client ID and secret key of a REST app.',
    guide: 'paypal',
    checks: [
      { names: ['credentials'], ok: 'PayPal accepts the client ID and the secret key.' },
      { names: ['payouts'], ok: 'Payouts is enabled.' },
      { names: ['transaction_search'], ok: "Transaction Search is enabled, so payments can be compared with PayPal's list." },
      { names: ['webhook', 'webhook_address', 'webhook_events', 'webhook_limit'], ok: 'PayPal notifies us of payments.' },
    ],
  },
  sandbox: {
    name: 'Sandbox',
    account: 'nothing',
    what: 'A simulation: no money moves.',
    needs: 'You need nothing else.',
    guide: null,
    checks: [],
  },
  sepa: {
    name: 'SEPA bank files',
    account: 'your bank account',
    what: "Tributary makes payment files for your company's bank account, and reads the status files that your bank returns.",
    needs: 'You need a bank account in euros whose bank takes files in the format pain.001.001.09.',
    guide: 'sepa',
    checks: [],
  },
  stripe_connect: {
    name: 'Stripe Connect',
    account: 'your Stripe account',
    what: "Tributary pays from your company's Stripe balance to the Stripe accounts that affiliates connect in their portal.",
    needs: 'You need a Stripe account with Connect enabled, and a secret or restricted key of it.',
    guide: 'stripe-connect',
    checks: [
      { names: ['credentials'], ok: 'Stripe accepts the key.' },
      { names: ['account_restricted', 'account'], ok: "Stripe hasn't restricted the account." },
      { names: ['transfers'], ok: 'The account can make transfers.' },
      { names: ['connect'], ok: 'The key may create the accounts of affiliates.' },
      { names: ['balance'], ok: 'The balance can be read.' },
      { names: ['webhook'], ok: 'Stripe notifies us of payments.' },
    ],
  },
};
