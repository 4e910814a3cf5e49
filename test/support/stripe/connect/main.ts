import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer } from './answer.ts';
import { control } from './control.ts';

/** Stripe Connect with transfers as its documentation describes them, for any number of platforms. `/test/…` is what people and Stripe decide. */
const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const body = await readBody(request);
  const { method = 'GET', headers } = request;
  const reply = url.pathname.startsWith('/test/')
    ? control(url.pathname, JSON.parse(body || '{}') as Record<string, unknown>)
    : answer({ method, url, body, headers });
  if (reply === null) return;
  response
    .writeHead(reply.status, { 'content-type': 'application/json', 'request-id': 'req_test', ...reply.headers })
    .end(JSON.stringify(reply.body));
};

const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`),
);
