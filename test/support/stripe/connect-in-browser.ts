import type { TestApi, TestResponse } from '../api.ts';
import { anyAddress, toTestResponse } from '../api.ts';
import type { StripeServer } from './stripe-server.ts';

type Decision = Parameters<StripeServer['decide']>[1];

/** A browser with its cookies. */
export interface TestBrowser {
  /** Follows a URL of the API to Stripe; returns where Stripe sends the browser after the decision. */
  begin(stripe: StripeServer, authUrl: string, decision: Decision): Promise<URL>;
  /** Opens a page of the API. */
  visit(url: URL): Promise<TestResponse>;
  /** Answers the question of a page. */
  answer(state: string | null, decision: 'connect' | 'cancel'): Promise<TestResponse>;
}

export const openBrowser = ({ app }: Pick<TestApi, 'app'>): TestBrowser => {
  let cookie = '';
  const remoteAddress = anyAddress();
  const headers = () => (cookie === '' ? {} : { cookie });
  return {
    async begin(stripe, authUrl, decision) {
      const { pathname, search } = new URL(authUrl);
      const started = await app.inject({ method: 'GET', url: `${pathname}${search}`, remoteAddress, headers: headers() });
      if (started.statusCode !== 302) throw new Error(`not sent to Stripe: ${started.body}`);
      [cookie = ''] = String(started.headers['set-cookie']).split(';');
      return stripe.decide(String(started.headers.location), decision);
    },
    visit: async ({ pathname, search }) =>
      toTestResponse(await app.inject({ method: 'GET', url: `${pathname}${search}`, remoteAddress, headers: headers() })),
    answer: async (state, decision) =>
      toTestResponse(
        await app.inject({
          method: 'POST',
          url: '/api/integrations/stripe/oauth/decision',
          remoteAddress,
          headers: { ...headers(), 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ state: state ?? '', decision }).toString(),
        }),
      ),
  };
};

/** Grants access at Stripe and confirms it; returns the last page. */
export const connectInBrowser = async (
  api: Pick<TestApi, 'app'>,
  stripe: StripeServer,
  { authUrl, account }: { authUrl: string; account: string },
): Promise<TestResponse> => {
  const browser = openBrowser(api);
  const url = await browser.begin(stripe, authUrl, { account });
  const page = await browser.visit(url);
  return page.status === 200 ? browser.answer(url.searchParams.get('state'), 'connect') : page;
};
