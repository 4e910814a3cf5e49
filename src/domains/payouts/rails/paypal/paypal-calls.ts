import { type Clock, MINUTE_MS, SECOND_MS } from '../../../../platform/clock.ts';
import type { HttpCall, HttpResult, RailHttp } from '../rail-http.ts';
import type { PayPalAccount } from './paypal-account.ts';
import { tokenSchema } from './paypal-wire.ts';

/** `isUnsent`: there was no token, so the request never left. */
export type PayPalResult = HttpResult & { isUnsent?: true };

export interface Granted {
  /** What the account may do, as PayPal lists it. */
  scopes: ReadonlySet<string>;
}

export interface PayPalCalls {
  /** Never throws. A token that is refused is replaced once. */
  call(call: HttpCall): Promise<PayPalResult>;
  /** Asks for a new token, which tells what the account may do now. */
  grant(): Promise<Granted | HttpResult>;
}

interface Token extends Granted {
  value: string;
  renewAtMs: number;
}

const TOKEN_DEADLINE_MS = 4 * SECOND_MS;
/** Before it ends. PayPal's last for nine hours, and it limits callers that ask for one per payment. */
const RENEW_BEFORE_MS = 5 * MINUTE_MS;

/** Calls of one account. Its token is shared, and asked for by one call at a time. */
export const createPayPalCalls = (
  http: RailHttp,
  { clientId, clientSecret }: Pick<PayPalAccount, 'clientId' | 'clientSecret'>,
  clock: Clock,
): PayPalCalls => {
  let current: Token | null = null;
  let renewing: Promise<Token | HttpResult> | null = null;

  const ask = async (): Promise<Token | HttpResult> => {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const result = await http.call({
      method: 'POST',
      path: '/v1/oauth2/token',
      headers: { authorization: `Basic ${basic}` },
      body: { form: { grant_type: 'client_credentials' } },
      deadlineMs: TOKEN_DEADLINE_MS,
      isSecret: true,
    });
    const read = result.status === 200 ? tokenSchema.safeParse(result.json) : null;
    if (!read?.success) return result.problem === null ? { ...result, ...unread(result.status) } : result;
    const { access_token: value, expires_in: seconds, scope } = read.data;
    const livesMs = seconds * SECOND_MS;
    const renewAtMs = clock.now().getTime() + Math.max(livesMs - RENEW_BEFORE_MS, livesMs / 2);
    current = { value, renewAtMs, scopes: new Set(scope.split(/\s+/)) };
    return current;
  };
  const renew = (): Promise<Token | HttpResult> =>
    (renewing ??= ask().finally(() => {
      renewing = null;
    }));
  /** `refused` is a token that PayPal did not take. */
  const find = async (refused: string | null): Promise<Token | HttpResult> => {
    const isUsable = current && current.value !== refused && clock.now().getTime() < current.renewAtMs;
    return isUsable && current ? current : renew();
  };

  return {
    async call(call) {
      for (let refused: string | null = null; ; ) {
        const token = await find(refused);
        if (!('value' in token)) return { ...token, isUnsent: true };
        const result = await http.call({ ...call, headers: { ...call.headers, authorization: `Bearer ${token.value}` } });
        if (result.status !== 401 || refused !== null) return result;
        refused = token.value;
      }
    },
    grant: async () => {
      // One that is under way may have been asked for before a permission was given.
      await renewing;
      return renew();
    },
  };
};

/** A 200 without a token is no answer. */
const unread = (status: number | null) => (status === 200 ? { json: null, problem: 'body_unreadable' } : {});
