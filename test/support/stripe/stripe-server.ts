import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

export const STRIPE_PLATFORM = { STRIPE_SECRET_KEY: 'sk_test_platform', STRIPE_CONNECT_CLIENT_ID: 'ca_test_platform' };

export const BILLING_SECRET = 'whsec_billing_test';

/** The platform as it is set up for the subscriptions of merchants. */
export const STRIPE_BILLING = {
  ...STRIPE_PLATFORM,
  STRIPE_BILLING_WEBHOOK_SECRET: BILLING_SECRET,
  STRIPE_BILLING_PRICES: 'starter:price_starter,growth:price_growth,pro:price_pro',
};

export interface StripeServer {
  url: string;
  /** Accounts that granted access to the platform. */
  connected(): Promise<string[]>;
  /** What a merchant decides on the page that `authUrl` names; returns the address that the browser is sent to. */
  decide(authUrl: string, decision: { account: string; slow?: '' } | { deny: '' }): Promise<URL>;
  /** What customers, banks and the operator do with a subscription. `paying`: its invoice is being paid. */
  setSubscription(id: string, status: string): Promise<void>;
  /**
   * How calls of Stripe Billing fail from now on; empty when they do not. Only of new subscriptions: `late`, they are made once
   * `finishLate` is called; `broken`, the error is kept for their key.
   */
  fail(how: 'hang' | 'error' | 'late' | 'broken' | ''): Promise<void>;
  finishLate(): Promise<void>;
  /** The calls of Stripe Billing that came since the one with this number, as `POST /v1/customers`. */
  callsSince(number: number): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts a process that behaves like the OAuth server of Stripe Connect. */
export const startStripeServer = async (): Promise<StripeServer> => {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, ...STRIPE_PLATFORM },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
  const control = async (path: string, form: Record<string, string>): Promise<string[]> =>
    (await (await fetch(`${url}/test${path}`, { method: 'POST', body: new URLSearchParams(form) })).json()) as string[];
  return {
    url,
    connected: async () => (await (await fetch(`${url}/connected`)).json()) as string[],
    async decide(authUrl, decision) {
      const page = new URL(`/oauth/authorize${new URL(authUrl).search}`, url);
      for (const [name, value] of Object.entries(decision)) page.searchParams.set(name, value);
      const response = await fetch(page, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '');
    },
    async setSubscription(id, status) {
      await control(`/subscriptions/${id}`, { status });
    },
    async fail(failure) {
      await control('/failure', { failure });
    },
    async finishLate() {
      await control('/late', {});
    },
    callsSince: async (number) => (await control('/calls', {})).slice(number),
    async close() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
};
