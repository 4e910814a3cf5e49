import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawNotice } from './conformance.ts';
import { type FakeAccount, signNotice } from './fake-account-rail.ts';

interface StoredPayment {
  id: string;
  key: string;
  reference: string;
  amount: number;
  currency: string;
  state: string;
  reason: string | null;
  fee: { amount: number; currency: string } | null;
  payee: string;
  account: string;
}

export interface FakeProvider {
  url: string;
  payments: StoredPayment[];
  notices: (RawNotice & { reference: string })[];
  accountOf(clientId: string): FakeAccount;
  /** Every order of an account is refused with this code from now on; null: with none. */
  refuse(clientId: string, code: string | null): void;
  /** Orders that arrived, with those that were refused. */
  orders: { clientId: string; reference: string }[];
  /** Moves a payment into a state, and sends a notice of it. */
  move(reference: string, state: string, reason?: string | null): RawNotice;
  /** A notice of the account with this body, signed. */
  sign(clientId: string, body: object): RawNotice;
  close(): Promise<void>;
}

const PAGE = 2;

/** What becomes of a payment, by how the address of the payee begins. */
const statesOf = (payee: string): string[] => {
  if (payee.startsWith('waiting')) return ['PENDING'];
  if (payee.startsWith('unclaimed')) return ['PENDING', 'UNCLAIMED'];
  return ['PENDING', 'DONE', ...(payee.startsWith('returned') ? ['BACK'] : [])];
};

/** The provider of the fake account rail: accounts by client id, whose secret is the id with `-secret`. */
export const startFakeProvider = async (): Promise<FakeProvider> => {
  const payments: StoredPayment[] = [];
  const notices: FakeProvider['notices'] = [];
  const orders: FakeProvider['orders'] = [];
  const refusals = new Map<string, string | null>();

  const sign = (account: string, body: object): RawNotice => {
    const rawBody = Buffer.from(JSON.stringify(body));
    return { headers: { 'x-signature': signNotice(`${account}-hook`, rawBody) }, rawBody };
  };
  const notify = (payment: StoredPayment, state: string): RawNotice => {
    payment.state = state;
    const { account, payee: _payee, ...shown } = payment;
    const notice = sign(account, { id: `${payment.id}-${state}`, at: new Date().toISOString(), payment: shown });
    notices.push({ ...notice, reference: payment.reference });
    return notice;
  };
  const pay = (account: string, given: Pick<StoredPayment, 'key' | 'reference' | 'amount' | 'currency' | 'payee'>) => {
    const known = payments.find(({ key }) => key === given.key);
    if (known)
      return known.amount === given.amount ? { status: 200, body: known } : { status: 409, body: { error: 'KEY_REUSED' } };
    const code = refusals.get(account);
    if (code) return { status: 422, body: { error: code } };
    const fee = given.payee.startsWith('fee') ? { amount: 7, currency: given.currency === 'usd' ? 'eur' : 'usd' } : null;
    const payment = { ...given, id: `fp_${payments.length + 1}`, state: 'PENDING', reason: null, fee, account };
    payments.push(payment);
    const answer = { status: 200, body: { ...payment } };
    for (const state of statesOf(given.payee)) notify(payment, state);
    return answer;
  };
  const cancel = (key: string) => {
    const payment = payments.find((known) => known.key === key);
    if (!payment) return { status: 404, body: { error: 'NOT_FOUND' } };
    if (payment.state === 'UNCLAIMED') Object.assign(payment, { state: 'REFUSED', reason: 'CANCELLED' });
    return { status: 200, body: payment };
  };
  const answer = (method: string, url: URL, account: string, body: string): { status: number; body: unknown } => {
    if (url.pathname === '/permissions') return { status: 200, body: {} };
    const [, , keyText = '', verb] = url.pathname.split('/');
    if (verb === 'cancel') return cancel(decodeURIComponent(keyText));
    if (method === 'POST') {
      const given = JSON.parse(body) as StoredPayment;
      orders.push({ clientId: account, reference: given.reference });
      return pay(account, given);
    }
    const key = decodeURIComponent(url.pathname.split('/')[2] ?? '');
    const found = payments.find((payment) => payment.key === key);
    if (key !== '') return found ? { status: 200, body: found } : { status: 404, body: { error: 'NOT_FOUND' } };
    const after = Number(url.searchParams.get('after'));
    const own = payments.filter((payment) => payment.account === account);
    const next = own.length > after + PAGE ? String(after + PAGE) : null;
    return { status: 200, body: { payments: own.slice(after, after + PAGE), next } };
  };
  const identify = (path: string, authorization: string): string | null => {
    if (path !== '/token') return /^Bearer (.+)-token$/.exec(authorization)?.[1] ?? null;
    const [id = '', secret] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':');
    return secret === `${id}-secret` ? id : null;
  };

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const url = new URL(request.url ?? '/', 'http://fake');
    const account = identify(url.pathname, request.headers.authorization ?? '');
    const result =
      account === null
        ? { status: 401, body: { error: 'UNAUTHORIZED' } }
        : url.pathname === '/token'
          ? { status: 200, body: { token: `${account}-token` } }
          : answer(request.method ?? '', url, account, body);
    response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    payments,
    notices,
    orders,
    accountOf: (clientId) => ({ url, clientId, clientSecret: `${clientId}-secret`, webhookSecret: `${clientId}-hook` }),
    refuse: (clientId, code) => void refusals.set(clientId, code),
    move(reference, state, reason = null) {
      const payment = payments.find((known) => known.reference === reference);
      if (!payment) throw new Error('no such payment');
      payment.reason = reason;
      return notify(payment, state);
    },
    sign,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
