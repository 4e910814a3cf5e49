import { createStripeClient, isStripeError, type StripeClientOptions } from '../../platform/stripe/stripe-client.ts';

/** Path of the pages for the browser of a merchant. */
export const STRIPE_OAUTH_PATH = '/api/integrations/stripe/oauth';
/** Where Stripe sends the browser back. */
export const STRIPE_CALLBACK_PATH = `${STRIPE_OAUTH_PATH}/callback`;

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

export interface StripeConnectOptions extends StripeClientOptions {
  clientId: string;
  redirectUri: string;
}

export const createStripeConnect = ({ clientId, redirectUri, ...options }: StripeConnectOptions): StripeConnect => {
  const client = createStripeClient(options);
  return {
    authorizeUrl: async (state) =>
      (await client.library()).oauth.authorizeUrl({
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'read_only',
        state,
      }),
    async exchangeCode(code) {
      try {
        const token = await client.call(({ oauth }) => oauth.token({ grant_type: 'authorization_code', code }));
        if (!token.stripe_user_id) return { outcome: 'unavailable' };
        return { outcome: 'connected', accountId: token.stripe_user_id, livemode: token.livemode ?? false };
      } catch (error) {
        return { outcome: isStripeError(error, 'StripeInvalidGrantError') ? 'rejected' : 'unavailable' };
      }
    },
    async deauthorize(accountId) {
      try {
        await client.call(({ oauth }) => oauth.deauthorize({ client_id: clientId, stripe_user_id: accountId }));
        return 'done';
      } catch (error) {
        return isStripeError(error, 'StripeInvalidClientError') ? 'done' : 'unavailable';
      }
    },
  };
};
