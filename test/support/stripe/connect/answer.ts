import type { IncomingHttpHeaders } from 'node:http';
import { createV1, createV2, getAccount, linkV1, linkV2, onWebhooks } from './accounts.ts';
import { failures } from './control.ts';
import { invalid, ok, type Platform, platformOf, type Reply, refused } from './store.ts';
import { createTransfer, getTransfer, listBookings, listTransfers, malformed, reverseTransfer } from './transfers.ts';

interface Call {
  method: string;
  url: URL;
  body: string;
  headers: IncomingHttpHeaders;
}

/** Null: no answer at all. */
export const answer = (call: Call): Reply | null => {
  const secretKey = /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '';
  const platform = platformOf(secretKey);
  if (!platform) return refused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' });
  const isSend = call.method === 'POST' && call.url.pathname === '/v1/transfers';
  if (isSend && failures.isSilent) return null;
  return call.method === 'POST' ? keyed(platform, call, isSend) : route(platform, call);
};

/** A key has the first answer once its endpoint ran, also an error; with other parameters it is an error of its own. */
const keyed = (platform: Platform, call: Call, isSend: boolean): Reply => {
  const key = String(call.headers['idempotency-key'] ?? '');
  const known = key === '' ? undefined : platform.replies.get(key);
  const params = `${call.url.pathname} ${call.body}`;
  if (known && known.params !== params)
    return refused(400, {
      type: 'idempotency_error',
      message: 'Keys for idempotent requests can only be used with the same parameters',
    });
  if (known) return { ...known.reply, headers: { 'idempotent-replayed': 'true' } };
  const early = isSend ? malformed(new URLSearchParams(call.body)) : null;
  if (early) return early;
  const isBroken = isSend && failures.broken > 0;
  if (isBroken) failures.broken -= 1;
  const reply = isBroken ? refused(500, { type: 'api_error', message: 'An unknown error occurred' }) : route(platform, call);
  if (key !== '') platform.replies.set(key, { params, reply });
  return reply;
};

const json = (body: string): Record<string, never> => JSON.parse(body || '{}') as Record<string, never>;

const route = (platform: Platform, { method, url, body }: Call): Reply => {
  const params = method === 'GET' ? url.searchParams : new URLSearchParams(body);
  const [version, ...path] = url.pathname.slice(1).split('/');
  const name = `${method} ${version} ${path.slice(0, version === 'v2' ? 2 : 1).join('/')}`;
  const id = path[version === 'v2' ? 2 : 1];
  switch (name) {
    case 'POST v1 transfers':
      return path[2] === 'reversals' ? reverseTransfer(platform, id ?? '', params) : createTransfer(platform, params);
    case 'GET v1 transfers':
      return id === undefined ? listTransfers(platform, params) : getTransfer(platform, id, params);
    case 'GET v1 balance_transactions':
      return listBookings(platform, params);
    case 'GET v1 balance': {
      const available = [...platform.balances].map(([currency, amount]) => ({ amount, currency, source_types: {} }));
      return ok({ object: 'balance', available, pending: [], livemode: false });
    }
    case 'GET v1 account':
      return ok({ id: platform.id, object: 'account', charges_enabled: true, payouts_enabled: true });
    case 'GET v1 accounts':
      return id === undefined
        ? ok({ object: 'list', url: '/v1/accounts', data: [], has_more: false })
        : getAccount(platform, id, 'v1');
    case 'POST v1 accounts':
      return createV1(platform, params);
    case 'POST v1 account_links':
      return linkV1(platform, params);
    case 'POST v2 core/accounts':
      return createV2(platform, json(body));
    case 'GET v2 core/accounts':
      return getAccount(platform, id ?? '', 'v2');
    case 'POST v2 core/account_links':
      return linkV2(platform, json(body));
    case 'GET v1 webhook_endpoints':
    case 'POST v1 webhook_endpoints':
    case 'DELETE v1 webhook_endpoints':
      return onWebhooks(platform, { method, id, params });
    default:
      return { ...invalid('url_invalid'), status: 404 };
  }
};
