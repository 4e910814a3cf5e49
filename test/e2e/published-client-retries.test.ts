import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentRef, AgentRefConfig } from 'agentref';
import { useOwnApi } from '../support/api.ts';
import { makeKey, makeMerchant, unique } from '../support/factories.ts';
import { listenForClients, publishedClient } from '../support/published-client.ts';

/** Long enough for a request to be over the limit, short enough to wait for. */
const WINDOW_MS = 2_000;

const api = useOwnApi({}, { rateWindowMs: WINDOW_MS });
let clientOf: (apiKey: string, more?: AgentRefConfig) => AgentRef;
beforeAll(async () => {
  clientOf = await listenForClients(api);
});

const newProgram = (name = `Program ${unique()}`) => ({ name, commissionType: 'one_time' as const, commissionPercent: 10 });

test('the auto-pager walks 251 rows, the newest first, each once', async () => {
  const client = clientOf((await makeMerchant(api.runtime)).key);
  const made: string[] = [];
  for (let n = 0; n < 251; n++) made.push((await client.programs.create(newProgram())).id);
  const walked: string[] = [];
  for await (const { id } of client.programs.listAll()) walked.push(id);
  expect(walked).toEqual(made.reverse());
});

test('a request over the limit is retried after the time that the server names, and succeeds', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, rateLimit: 1 });
  const client = clientOf(key, { maxRetries: 2 });
  expect((await client.merchant.get()).id).toBe(merchantId);
  expect((await client.merchant.get()).id).toBe(merchantId);
  await expect(clientOf(key).merchant.get()).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
});

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

/** A network that loses the response to the first POST, once the server has sent it. */
const startLossyNetwork = async (target: string) => {
  let isLost = false;
  const server = createServer(async (request, response) => {
    const { method = 'GET', headers } = request;
    const body = await readBody(request);
    const passed = Object.fromEntries(
      Object.entries(headers).filter(([name]) => /^(authorization|content-type|idempotency-key)$/.test(name)),
    );
    const answer = await fetch(`${target}${request.url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(body ? { body } : {}),
    });
    const text = await answer.text();
    if (method === 'POST' && !isLost) {
      isLost = true;
      return request.socket.destroy();
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    wasLost: () => isLost,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

test('a POST whose response was lost is retried with its idempotency key, and has one effect', async () => {
  const network = await startLossyNetwork(`http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`);
  const { key } = await makeMerchant(api.runtime);
  const client = publishedClient({ apiKey: key, baseUrl: network.baseUrl, maxRetries: 2 });
  const created = await client.programs.create(newProgram('Once'), { idempotencyKey: unique() });
  expect([network.wasLost(), created.name]).toEqual([true, 'Once']);
  expect((await client.programs.list()).data.map(({ id }) => id)).toEqual([created.id]);
  await network.close();
});
