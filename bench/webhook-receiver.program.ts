import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A receiver of webhooks: paths that start with `/silent` never get a response, those that start with `/second` get 200 for the second
 * attempt of a webhook, all others at once.
 */
const arrivals = new Map<string, number>();
let received = 0;
const server = createServer((request, response) => {
  const id = request.headers['webhook-id'];
  request.resume();
  request.on('end', () => {
    received++;
    const isFirst = typeof id === 'string' && !arrivals.has(id);
    if (isFirst) arrivals.set(id, Date.now());
    if (isFirst && request.url?.startsWith('/second')) response.statusCode = 500;
    if (!request.url?.startsWith('/silent')) response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.('ready'));

export type ReceiverRequest = 'port' | 'reset' | 'received' | 'arrivals';

process.on('message', (request: ReceiverRequest | 'cpu') => {
  if (request === 'port') process.send?.({ port: (server.address() as AddressInfo).port });
  if (request === 'received') process.send?.({ received });
  if (request === 'arrivals') process.send?.({ arrivals: [...arrivals] });
  if (request !== 'reset') return;
  arrivals.clear();
  received = 0;
  process.send?.({});
});
