import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DoubleAccount } from './model.ts';
import type { DoubleStore } from './store.ts';

const PREFIX = 'https://uri.paypal.com';
/** What the token of an app lists once PayPal has turned on Payouts, Transaction Search and webhooks for it. */
export const ALL_SCOPES: readonly string[] = [
  `${PREFIX}/payments/payouts`,
  `${PREFIX}/services/applications/webhooks`,
  `${PREFIX}/services/reporting/search/read`,
  `${PREFIX}/services/reporting/balances/read`,
];

const TOKEN_SECONDS = 32_400;
const START_BALANCES = { USD: '1000000.00', EUR: '1000000.00', GBP: '1000000.00', HUF: '100000000', JPY: '100000000' };

export interface DoubleOAuth {
  token(request: FastifyRequest, reply: FastifyReply): unknown;
  /** Null without a valid token. */
  accountOf(request: FastifyRequest): DoubleAccount | null;
  /** The account, made when it is new. */
  open(clientId: string): DoubleAccount;
  revoke(clientId: string): void;
}

/** Every client id has an account, whose secret is the id with `-secret` at its end. */
export const createDoubleOAuth = (store: DoubleStore): DoubleOAuth => {
  const tokens = new Map<string, { clientId: string; endsMs: number }>();
  const open = (clientId: string): DoubleAccount => {
    const known = store.accounts.get(clientId);
    if (known) return known;
    const account = { clientId, balances: { ...START_BALANCES }, scopes: [...ALL_SCOPES], webhooks: [] };
    store.saveAccount(account);
    return account;
  };
  return {
    open,
    token(request, reply) {
      const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const [clientId = '', secret] = Buffer.from(basic, 'base64').toString().split(':');
      if (clientId === '' || secret !== `${clientId}-secret`)
        return reply.code(401).send({ error: 'invalid_client', error_description: 'Client Authentication failed' });
      if (new URLSearchParams(String(request.body)).get('grant_type') !== 'client_credentials')
        return reply.code(400).send({ error: 'unsupported_grant_type', error_description: 'Grant Type is not supported' });
      const value = `A21AA${randomBytes(24).toString('base64url')}`;
      tokens.set(value, { clientId, endsMs: Date.now() + TOKEN_SECONDS * 1_000 });
      const scope = open(clientId).scopes.join(' ');
      return { scope, access_token: value, token_type: 'Bearer', app_id: 'APP-80W284485P519543T', expires_in: TOKEN_SECONDS };
    },
    accountOf({ headers }) {
      const token = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
      return token && Date.now() < token.endsMs ? open(token.clientId) : null;
    },
    revoke(clientId) {
      for (const [value, token] of tokens) if (token.clientId === clientId) tokens.delete(value);
    },
  };
};
