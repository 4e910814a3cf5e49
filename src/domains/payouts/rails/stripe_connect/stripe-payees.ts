import type Stripe from 'stripe';
import type { PayeeAccount } from '../../../../contracts/payee-accounts.ts';
import { toSafeCode } from '../answer.ts';
import type { PayeeAccounts } from '../rail.ts';
import { readV1Account, readV2Account } from './payee-account.ts';
import type { Heard, StripeCalls, StripeError } from './stripe-library.ts';

const DEADLINE_MS = 5_000;

/** Stripe refuses what is asked, and so made nothing. Being busy is no refusal. */
const isRefusal = ({ status }: StripeError): boolean => status >= 400 && status < 500 && status !== 409 && status !== 429;

/** By an account that the API of Stripe does not know as one of its second version. */
const isOther = (heard: Heard<unknown>): boolean => 'error' in heard && isRefusal(heard.error) && heard.error.status !== 401;

type Losses = 'stripe' | 'application';

const v2Params = ({
  email,
  country,
  losses,
}: {
  email: string;
  country: string;
  losses: Losses;
}): Stripe.V2.Core.AccountCreateParams => ({
  contact_email: email,
  dashboard: 'express',
  identity: { country: country.toLowerCase() },
  configuration: { recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } } },
  defaults: { responsibilities: { fees_collector: losses, losses_collector: losses } },
  include: ['configuration.recipient', 'requirements'],
});

const INCLUDE: Stripe.V2.Core.AccountRetrieveParams['include'] = ['configuration.recipient', 'requirements'];

/**
 * Recipients of the second version of Stripe's accounts, and `express` accounts of the first where there is no second. Who carries a negative
 * balance is asked of Stripe first, and is the merchant where Stripe does not.
 */
export const payeesOf = (stripe: StripeCalls): PayeeAccounts => ({
  async create({ key, email, country }) {
    const losses = ['stripe', 'application'] as const;
    for (const who of losses) {
      const made = await stripe.ask(DEADLINE_MS, (library, options) =>
        library.v2.core.accounts.create(v2Params({ email, country, losses: who }), {
          ...options,
          idempotencyKey: `${key}-${who}`,
        }),
      );
      if ('value' in made) return readV2Account(made.value);
      if (!isOther(made)) return refusedOrNull(made);
    }
    const made = await stripe.ask(DEADLINE_MS, (library, options) =>
      library.accounts.create(
        { type: 'express', country, email, capabilities: { transfers: { requested: true } } },
        { ...options, idempotencyKey: `${key}-express` },
      ),
    );
    return 'value' in made ? readV1Account(made.value) : refusedOrNull(made);
  },

  async look(account) {
    const read = await stripe.ask(DEADLINE_MS, (library, options) =>
      library.v2.core.accounts.retrieve(account, { include: INCLUDE }, options),
    );
    if ('value' in read) return readV2Account(read.value);
    if (!isOther(read)) return null;
    const first = await stripe.ask(DEADLINE_MS, (library, options) => library.accounts.retrieve(account, {}, options));
    if ('value' in first) return readV1Account(first.value);
    // Its owner took the connection back, or closed the account.
    return isOther(first) ? gone(account) : null;
  },

  async onboard(account, { returnUrl, refreshUrl }) {
    const urls = { return_url: returnUrl, refresh_url: refreshUrl };
    const link = await stripe.ask(DEADLINE_MS, (library, options) =>
      library.v2.core.accountLinks.create(
        { account, use_case: { type: 'account_onboarding', account_onboarding: urls } },
        options,
      ),
    );
    if ('value' in link) return link.value.url;
    if (!isOther(link)) return null;
    const first = await stripe.ask(DEADLINE_MS, (library, options) =>
      library.accountLinks.create({ account, type: 'account_onboarding', ...urls }, options),
    );
    return 'value' in first ? first.value.url : null;
  },
});

const gone = (account: string): PayeeAccount => ({ account, state: 'restricted', requirements: ['other'] });

const refusedOrNull = (heard: Heard<unknown>): { refused: string } | null =>
  'error' in heard && isRefusal(heard.error) ? { refused: toSafeCode(heard.error.code ?? `http_${heard.error.status}`) } : null;
