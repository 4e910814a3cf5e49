import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { CERTIFICATES } from '../receiver/certificates.ts';
import { framePage, productPage, SHOP_SCRIPT } from './pages.ts';

/** A shop with its own server, as a merchant would run it: pages with the tracking script, and a checkout that reports the sale. */
const API_URL = process.env['SHOP_API_URL'] ?? '';
const eventSecrets = new Map<string, string>();
/** Pages of the test itself, by program. */
const ownPages = new Map<string, string>();
let orders = 0;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Sends the signed sale event and returns the response of Tributary. */
const reportSale = async (programId: string, metadata: Record<string, string>): Promise<string> => {
  const now = new Date();
  const number = `${now.getTime()}-${++orders}`;
  const customer = { id: `customer-${number}`, email: `buyer-${number}@example.org` };
  const sale = { saleId: `order-${number}`, amount: 10_000, currency: 'usd', occurredAt: now.toISOString(), customer };
  const data = { ...sale, ...(metadata['agentref_cid'] ? { clickToken: metadata['agentref_cid'] } : {}) };
  const body = JSON.stringify({ type: 'sale.completed', timestamp: now.toISOString(), data });
  const id = `evt_${number}`;
  const response = await fetch(`${API_URL}/api/integrations/events/${programId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(eventSecrets.get(programId) ?? '').sign(id, now, body),
    },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  return JSON.stringify({ metadata, sent: data, status: response.status, reply: await response.json() });
};

/** What a page may do: run the two scripts and call the API. */
const STRICT_POLICY = `default-src 'none'; script-src 'self' ${API_URL}; connect-src 'self' ${API_URL}; img-src data:`;
const REDIRECTS_ONLY = STRICT_POLICY.replace(`connect-src 'self' ${API_URL}`, "connect-src 'self'");
const POLICIES: Readonly<Record<string, string>> = { strict: STRICT_POLICY, 'redirects-only': REDIRECTS_ONLY };

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://shop.example');
  const [, , programId = '', page = ''] = url.pathname.split('/');
  const html = (text: string, headers: Record<string, string> = {}) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text);
  if (url.pathname === '/shop.js') return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(SHOP_SCRIPT);
  if (url.pathname.startsWith('/setup/')) {
    eventSecrets.set(programId, await readBody(request));
    return void response.end();
  }
  if (url.pathname === '/third-party') {
    return void response.writeHead(404, { 'set-cookie': 'third_party=1; SameSite=None; Secure' }).end();
  }
  if (url.pathname.startsWith('/own-page/')) {
    ownPages.set(programId, await readBody(request));
    return void response.end();
  }
  if (page === 'own') return void html(ownPages.get(programId) ?? '');
  if (page === 'checkout') return void response.end(await reportSale(programId, JSON.parse(await readBody(request))));
  if (page === 'frame') return void html(framePage(`/p/${programId}/product${url.search}`));
  const policy = POLICIES[page];
  const options = { programId, scriptUrl: `${API_URL}/script.js?pid=${programId}`, kind: page };
  html(productPage(options), policy ? { 'content-security-policy': policy } : {});
};

const listener = (request: IncomingMessage, response: ServerResponse): void => {
  respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
};

const { cert, key } = CERTIFICATES.good;
const servers = [createServer(listener), createTlsServer({ cert, key }, listener)];
for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
const [port, tlsPort] = servers.map((server) => (server.address() as AddressInfo).port);
process.stdout.write(`${JSON.stringify({ port, tlsPort })}\n`);
// The parent closes it.
process.stdin.resume().on('end', () => process.exit(0));
