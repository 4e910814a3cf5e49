import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProviderResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}

export interface ProviderOrder {
  idempotencyKey: string;
  reference: string;
  amount: number;
  currency: string;
}

/** A payment provider whose responses the test decides, with the API of the sandbox. */
export interface ScriptedProvider {
  url: string;
  /** Every order that arrived, oldest first. */
  orders: ProviderOrder[];
  onSubmit(respond: (order: ProviderOrder) => ProviderResponse | Promise<ProviderResponse>): void;
  onLookUp(respond: (idempotencyKey: string) => ProviderResponse | Promise<ProviderResponse>): void;
  close(): Promise<void>;
}

export const providerError = (status: number, code: string): ProviderResponse => ({ status, body: { error: { code } } });
export const NEVER_RECEIVED = providerError(404, 'transfer_not_found');

/** Fails every send with a 500 and knows no transfer, until told otherwise. */
export const startScriptedProvider = async (): Promise<ScriptedProvider> => {
  const orders: ProviderOrder[] = [];
  let submit: (order: ProviderOrder) => ProviderResponse | Promise<ProviderResponse> = () => providerError(500, 'internal_error');
  let lookUp: (idempotencyKey: string) => ProviderResponse | Promise<ProviderResponse> = () => NEVER_RECEIVED;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const order = () => ({ ...JSON.parse(Buffer.concat(chunks).toString()), idempotencyKey: request.headers['idempotency-key'] });
    if (request.method === 'POST') orders.push(order());
    const key = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    const { status, headers, body } = await (request.method === 'POST' ? submit(order()) : lookUp(key));
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    onSubmit: (respond) => {
      submit = respond;
    },
    onLookUp: (respond) => {
      lookUp = respond;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
