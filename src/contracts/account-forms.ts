import type { AccountField } from './rail-accounts.ts';
import type { Rail } from './rails.ts';

const PAYPAL_DASHBOARD = 'In the PayPal developer dashboard, under Apps & Credentials';

const PAYPAL: readonly AccountField[] = [
  {
    ...{ name: 'environment', label: 'Environment', hint: null, kind: 'choice', isRequired: true, isIdentity: true },
    options: [
      { value: 'live', label: 'Live' },
      { value: 'sandbox', label: 'Sandbox (no money moves)' },
    ],
  },
  {
    ...{ name: 'clientId', label: 'Client ID', hint: PAYPAL_DASHBOARD, kind: 'text', isRequired: true },
    ...{ isMasked: true, isIdentity: true },
  },
  { name: 'clientSecret', label: 'Secret key', hint: 'Next to the client ID', kind: 'secret', isRequired: true },
  {
    ...{ name: 'itemLimit', label: 'Largest payment', kind: 'amounts', isRequired: false },
    hint: 'Only if PayPal has raised your limit. Leave blank for the limit that PayPal publishes, such as 20,000 USD.',
  },
];

const ADDRESS = 'The address is needed to pay accounts outside the EEA, such as in Switzerland or the UK';
const part = (name: string, label: string, hint: string | null = null): AccountField => ({
  ...{ name: `debtorAddress.${name}`, label, hint, kind: 'text', isRequired: false },
});

/** What is not here has a value that suits most banks. */
const SEPA: readonly AccountField[] = [
  { name: 'debtorName', label: 'Account holder', hint: 'As your bank knows it', kind: 'text', isRequired: true },
  {
    ...{ name: 'debtorIban', label: 'IBAN', hint: 'Of the account that pays', kind: 'text', isRequired: true },
    ...{ isMasked: true, isIdentity: true },
  },
  { name: 'debtorBic', label: 'BIC', hint: 'Not needed inside the EEA', kind: 'text', isRequired: false },
  part('street', 'Street', ADDRESS),
  part('buildingNumber', 'House number'),
  part('postCode', 'Postal code'),
  part('town', 'Town'),
  part('country', 'Country', 'Two letters, such as DE'),
  { name: 'instant', label: 'Instant payments', hint: 'Not every bank takes them as files', kind: 'switch', isRequired: false },
  {
    ...{ name: 'charset', label: 'Characters in names', hint: null, kind: 'choice', isRequired: false },
    options: [
      { value: 'sepa', label: 'Without accents and umlauts: every bank takes them' },
      { value: 'latin1', label: 'With accents and umlauts' },
    ],
  },
  {
    ...{ name: 'maxTransactions', label: 'Payments in one file', kind: 'number', isRequired: false },
    hint: 'More become several files. Default: 9,999',
  },
  {
    ...{ name: 'acscIsPaid', label: 'Status ACSC proves the payment', kind: 'switch', isRequired: false },
    hint: 'For banks that send no statements',
  },
  {
    ...{ name: 'payeeVerification', label: "Verification of payees' names", hint: null, kind: 'choice', isRequired: false },
    options: [
      { value: 'bank', label: 'My bank verifies them' },
      { value: 'opted_out', label: 'I opted out at my bank' },
    ],
  },
];

const STRIPE: readonly AccountField[] = [
  {
    ...{ name: 'secretKey', label: 'Secret key', kind: 'secret', isRequired: true },
    hint: 'In the Stripe dashboard, under Developers, API keys: a secret or restricted key (sk_… or rk_…)',
  },
];

/** How people enter an account of a merchant, by rail. */
export const ACCOUNT_FORMS = { paypal: PAYPAL, sepa: SEPA, stripe_connect: STRIPE } as const satisfies Partial<
  Record<Rail, readonly AccountField[]>
>;

/** Rails that have a form. */
export const FORM_RAILS = Object.keys(ACCOUNT_FORMS) as (keyof typeof ACCOUNT_FORMS)[];
