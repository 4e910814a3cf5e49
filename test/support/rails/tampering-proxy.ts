import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What happens to a request instead of being passed on and answered. */
export type Tamper =
  | { kind: 'lost-before' }
  | { kind: 'lost-after' }
  | { kind: 'answer'; status: number; headers?: Readonly<Record<string, string>>; body: string }
  | { kind: 'rewrite'; change(body: string): string }
  | { kind: 'drip' };

export interface TamperingProxy {
  url: string;
  /** Everything that arrived, oldest first. */
  requests: ProxiedRequest[];
  /** For the next payment request only. */
  next(tamper: Tamper): void;
  close(): Promise<void>;
}

/** Stands between a rail and the double of its provider: faults of the network, and answers that the double never gives. */
export const startTamperingProxy = async (target: string, isPayment: (path: string) => boolean): Promise<TamperingProxy> => {
  const requests: ProxiedRequest[] = [];
  let pending: Tamper | null = null;

  const pass = async ({ method, path, headers, body }: ProxiedRequest) => {
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = headers;
    const init = { method, headers: kept as Record<string, string>, ...(method === 'GET' ? {} : { body }) };
    const response = await fetch(target + path, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  const handle = async (request: ProxiedRequest, response: ServerResponse): Promise<void> => {
    const tamper = pending && isPayment(request.path) ? pending : null;
    if (tamper) pending = null;
    if (tamper?.kind === 'lost-before') return void response.destroy();
    if (tamper?.kind === 'answer') return void response.writeHead(tamper.status, tamper.headers).end(tamper.body);
    const passed = await pass(request);
    if (tamper?.kind === 'lost-after') return void response.destroy();
    response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'application/json' });
    if (tamper?.kind === 'drip') {
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
      return;
    }
    response.end(tamper?.kind === 'rewrite' ? tamper.change(passed.body) : passed.body);
  };

  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += String(chunk);
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
    requests.push(request);
    await handle(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    next: (tamper) => {
      pending = tamper;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
