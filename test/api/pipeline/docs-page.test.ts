import { createHash } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';

const api = useTestApi();
const load = (url: string, headers = {}, from = '127.62.9.1') => api.app.inject({ url, headers, remoteAddress: from });

it('H9: the public port serves no metrics', async () => {
  expect((await load('/metrics')).statusCode).toBe(404);
});

it('H9: the page has a full content security policy with the hash of its inline script', async () => {
  const page = await load('/docs/');
  const [, script = ''] = /<script(?![^>]*src=)[^>]*>([\s\S]*?)<\/script>/.exec(page.body) ?? [];
  expect(script).not.toBe('');
  expect(page.headers['content-security-policy']).toBe(
    `default-src 'none'; script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  );
});

it('H9: documents are cached by the client and revalidated by ETag', async () => {
  for (const [url, control] of [
    ['/docs/', 'no-cache'],
    ['/docs/openapi.json', 'no-cache'],
    ['/docs/js/scalar.js', 'public, max-age=3600'],
  ] as const) {
    const first = await load(url);
    expect([first.statusCode, first.headers['cache-control']]).toEqual([200, control]);
    expect(first.headers['content-length']).toBe(String(first.rawPayload.length));
    const again = await load(url, { 'if-none-match': first.headers.etag });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  }
});

it('H9: an address loads 120 documents a minute; other addresses and health checks are not affected', async () => {
  const from = '127.62.9.2';
  const statuses = [];
  for (let count = 0; count < 121; count++) statuses.push((await load('/docs/openapi.json', {}, from)).statusCode);
  expect(statuses).toEqual([...Array.from({ length: 120 }, () => 200), 429]);
  const limited = await load('/docs/', {}, from);
  expect([limited.statusCode, limited.json().error.code, limited.headers['cache-control']]).toEqual([
    429,
    'RATE_LIMITED',
    'no-store',
  ]);
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await load('/docs/', {}, '127.62.9.3')).statusCode).toBe(200);
  expect((await load('/health/ready', {}, from)).statusCode).toBe(200);
});
