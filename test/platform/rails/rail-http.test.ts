import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRailHttp, type HttpCall, type HttpResult } from '../../../src/domains/payouts/rails/rail-http.ts';
import { HOUR_MS } from '../../../src/platform/clock.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

interface Seen {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One call against a server that answers so. */
const call = async (
  given: Partial<HttpCall>,
  answer: { status?: number; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<{ result: HttpResult; seen: Seen }> => {
  let seen: Seen | undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen = { method: request.method, headers: request.headers, body };
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const http = createRailHttp({ url, headers: { authorization: 'Bearer k' }, clock: { now: () => NOW } });
  const result = await http.call({ method: 'GET', path: '/x', deadlineMs: 2_000, ...given });
  await http.close();
  server.closeAllConnections();
  server.close();
  if (!seen) throw new Error('nothing arrived');
  return { result, seen };
};

test('bodies are JSON or forms, and the method is any that providers use', async () => {
  const json = await call({ method: 'PATCH', body: { json: { a: '<&>' } } });
  expect(json.seen).toMatchObject({ method: 'PATCH', body: '{"a":"<&>"}', headers: { 'content-type': 'application/json' } });
  const form = await call({ method: 'POST', body: { form: { grant_type: 'client_credentials', scope: 'a b&c' } } });
  expect(form.seen.body).toBe('grant_type=client_credentials&scope=a+b%26c');
  expect(form.seen.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer k' });
});

test('the headers of a response are read, also of one without a readable body', async () => {
  const { result } = await call({}, { status: 502, headers: { 'X-Debug-Id': 'd1' }, body: '<html>' });
  expect(result).toMatchObject({ problem: 'http_502', headers: { 'x-debug-id': 'd1' }, retryAfterMs: 0 });
});

test.each([
  ['seconds', '90', 90_000],
  ['a date', 'Mon, 01 Jun 2026 12:00:30 GMT', 30_000],
  ['a date that is over', 'Mon, 01 Jun 2026 11:00:00 GMT', 0],
  ['more than an hour', '999999', HOUR_MS],
  ['no time', 'soon', 0],
])('a provider asks to wait: %s', async (_what, retryAfter, retryAfterMs) => {
  const { result } = await call({}, { status: 429, headers: { 'retry-after': retryAfter } });
  expect(result).toMatchObject({ status: 429, retryAfterMs });
});

test('a larger answer is read where the call says so, and never more than the bound', async () => {
  const body = JSON.stringify('x'.repeat(70_000));
  expect((await call({}, { body })).result).toMatchObject({ problem: 'body_too_large', json: null });
  expect((await call({ maxBytes: 100_000 }, { body })).result).toMatchObject({ problem: null, json: expect.any(String) });
  const huge = JSON.stringify('x'.repeat(8 * 1_024 * 1_024));
  expect((await call({ maxBytes: Number.MAX_SAFE_INTEGER }, { body: huge })).result.problem).toBe('body_too_large');
});
