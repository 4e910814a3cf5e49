import { SECOND_MS } from '../clock.ts';
import { loadStripe } from './stripe-library.ts';

/** Where Stripe sends the browser back. */
export const STRIPE_CALLBACK_PATH = '/api/integrations/stripe/oauth/callback';

/** The calls to Stripe Connect. Each is a network call: never inside a transaction. */
export interface StripeConnect {
  /** The page at Stripe where a merchant grants access. No network call. */
  authorizeUrl(state: string): Promise<string>;
  /** A code can be exchanged once. */
  exchangeCode(code: string): Promise<ExchangeResult>;
  /** Done as well when the account is not connected to the platform: the second call changes nothing. */
  deauthorize(accountId: string): Promise<'done' | 'unavailable'>;
}

export type ExchangeResult =
  | { outcome: 'connected'; accountId: string; livemode: boolean }
  /** The code is expired, used or of another platform. */
  | { outcome: 'rejected' }
  | { outcome: 'unavailable' };

export interface StripeConnectOptions {
  secretKey: string;
  clientId: string;
  redirectUri: string;
  /** For tests and local stacks: a server other than Stripe's. */
  apiUrl?: string | undefined;
  timeoutMs?: number;
}

const TIMEOUT_MS = 5 * SECOND_MS;

const addressOf = (apiUrl: string | undefined) => {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, port: port === '' ? 443 : Number(port) } as const;
};

/** The library's own timeout restarts with each byte that arrives. */
const withDeadline = async <T>(call: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Stripe did not respond in time')), timeoutMs);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
};

const isOfType = (error: unknown, type: string): boolean =>
  typeof error === 'object' && error !== null && 'type' in error && error.type === type;

/** Error texts of Stripe are not passed on: they may quote a key. */
export const createStripeConnect = (options: StripeConnectOptions): StripeConnect => {
  const { secretKey, clientId, redirectUri, apiUrl, timeoutMs: timeout = TIMEOUT_MS } = options;
  const open = async () => {
    const Stripe = await loadStripe();
    return new Stripe(secretKey, { ...addressOf(apiUrl), timeout, maxNetworkRetries: 0, telemetry: false });
  };
  let opened: ReturnType<typeof open> | undefined;
  const client = () => (opened ??= open());
  return {
    authorizeUrl: async (state) =>
      (await client()).oauth.authorizeUrl({ client_id: clientId, redirect_uri: redirectUri, scope: 'read_only', state }),
    async exchangeCode(code) {
      const { oauth } = await client();
      try {
        const token = await withDeadline(oauth.token({ grant_type: 'authorization_code', code }), timeout);
        if (!token.stripe_user_id) return { outcome: 'unavailable' };
        return { outcome: 'connected', accountId: token.stripe_user_id, livemode: token.livemode ?? false };
      } catch (error) {
        return { outcome: isOfType(error, 'StripeInvalidGrantError') ? 'rejected' : 'unavailable' };
      }
    },
    async deauthorize(accountId) {
      const { oauth } = await client();
      try {
        await withDeadline(oauth.deauthorize({ client_id: clientId, stripe_user_id: accountId }), timeout);
        return 'done';
      } catch (error) {
        return isOfType(error, 'StripeInvalidClientError') ? 'done' : 'unavailable';
      }
    },
  };
};
