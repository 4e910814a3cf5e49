import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callBilling, calls, setSubscription } from './billing.ts';

/**
 * The OAuth server of Stripe Connect as its documentation describes it, for one platform, and its Billing. The page on which a merchant decides
 * is left out: `account` and `deny` of the authorization request are the decision.
 */
const { STRIPE_SECRET_KEY: secretKey, STRIPE_CONNECT_CLIENT_ID: clientId } = process.env;

const codes = new Map<string, string>();
const connected = new Set<string>();

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' }).end(JSON.stringify(body));

const readForm = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
};

const authorize = (query: URLSearchParams, response: ServerResponse): void => {
  const redirect = new URL(query.get('redirect_uri') ?? 'http://127.0.0.1/');
  redirect.searchParams.set('state', query.get('state') ?? '');
  if (query.get('client_id') !== clientId || query.get('response_type') !== 'code')
    return json(response, 400, { error: 'invalid_request' });
  if (query.has('deny')) {
    redirect.searchParams.set('error', 'access_denied');
    redirect.searchParams.set('error_description', 'The user denied your request');
  } else {
    const code = query.has('slow') ? 'ac_slow' : `ac_${randomBytes(12).toString('hex')}`;
    codes.set(code, query.get('account') ?? 'acct_1');
    redirect.searchParams.set('code', code);
  }
  response.writeHead(302, { location: redirect.href }).end();
};

const exchange = (form: URLSearchParams, response: ServerResponse): void => {
  const code = form.get('code') ?? '';
  if (code === 'ac_slow') return;
  const account = codes.get(code);
  codes.delete(code);
  if (form.get('grant_type') !== 'authorization_code' || account === undefined) {
    return json(response, 400, { error: 'invalid_grant', error_description: `Authorization code does not exist: ${code}` });
  }
  connected.add(account);
  json(response, 200, {
    access_token: 'sk_test_access',
    livemode: false,
    refresh_token: 'rt_test',
    token_type: 'bearer',
    stripe_publishable_key: 'pk_test',
    stripe_user_id: account,
    scope: 'read_only',
  });
};

const deauthorize = (form: URLSearchParams, response: ServerResponse): void => {
  const account = form.get('stripe_user_id') ?? '';
  if (account === 'acct_slow') return;
  if (form.get('client_id') !== clientId || !connected.delete(account)) {
    return json(response, 401, {
      error: 'invalid_client',
      error_description: 'This application is not connected to the account',
    });
  }
  json(response, 200, { stripe_user_id: account });
};

/** How calls of Stripe Billing fail; empty when they do not. */
let failure = '';
/** Orders that failed as `late`, until the test asks for them. */
const late: (() => void)[] = [];

const bill = (request: IncomingMessage, pathname: string, params: URLSearchParams, response: ServerResponse): void => {
  if (failure === 'hang') return;
  if (failure === 'error') return json(response, 500, { error: { type: 'api_error', message: `failed for ${secretKey}` } });
  const key = request.headers['idempotency-key'];
  const idempotencyKey = typeof key === 'string' ? key : undefined;
  const { method = '' } = request;
  const isOrder = method === 'POST' && pathname.startsWith('/v1/subscriptions');
  const isBroken = failure === 'broken' && isOrder;
  const answer = (): void => {
    const { status, body } = callBilling({ method, path: pathname, params, idempotencyKey }, isBroken);
    json(response, status, body);
  };
  if (failure === 'late' && isOrder) late.push(answer);
  else answer();
};

const control = (pathname: string, form: URLSearchParams, response: ServerResponse): void => {
  const [, id] = /^\/test\/subscriptions\/(\w+)$/.exec(pathname) ?? [];
  if (pathname === '/test/failure') failure = form.get('failure') ?? '';
  if (pathname === '/test/late') for (const answer of late.splice(0)) answer();
  if (id !== undefined) setSubscription(id, form);
  json(response, 200, calls);
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'GET' && pathname === '/oauth/authorize') return authorize(searchParams, response);
  if (request.method === 'GET' && pathname === '/connected') return json(response, 200, [...connected]);
  const form = await readForm(request);
  if (pathname.startsWith('/test/')) return control(pathname, form, response);
  if (request.headers.authorization !== `Bearer ${secretKey}`) {
    return json(response, 401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' } });
  }
  if (pathname.startsWith('/v1/')) {
    return bill(request, pathname, request.method === 'POST' ? form : searchParams, response);
  }
  if (pathname === '/oauth/token') return exchange(form, response);
  if (pathname === '/oauth/deauthorize') return deauthorize(form, response);
  json(response, 404, { error: { type: 'invalid_request_error', message: 'Unrecognized request URL' } });
});

server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`),
);
