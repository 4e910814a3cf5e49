import { createHash } from 'node:crypto';
import { GUIDES, readGuide } from '../../../src/api/guides.ts';
import { OPERATIONS } from '../../../src/api/routes.ts';
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

it('the address of the server without a path leads to the page', async () => {
  const { statusCode, headers } = await load('/');
  expect([statusCode, headers.location]).toEqual([302, '/docs/']);
});

it('H9: documents are cached by the client and revalidated by ETag', async () => {
  for (const [url, control] of [
    ['/docs/', 'no-cache'],
    ['/docs/openapi.json', 'no-cache'],
    ['/llms.txt', 'no-cache'],
    ['/llms-full.txt', 'no-cache'],
    ['/docs/guides/webhooks.md', 'no-cache'],
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

it('llms.txt lists every guide and operation, and each of its links loads as text', async () => {
  const index = await load('/llms.txt', {}, '127.62.9.4');
  expect(index.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(index.body).toMatch(/^# Tributary\n\n> /);
  const links = [...index.body.matchAll(/^- \[.+\]\((\S+)\): ./gm)].map(([, path = '']) => path);
  expect(links).toEqual(expect.arrayContaining(GUIDES.map((guide) => `/docs/guides/${guide}.md`)));
  expect(links).toEqual(expect.arrayContaining(OPERATIONS.map(({ id }) => `/docs/operations/${id}.md`)));
  expect(new Set(links).size).toBe(links.length);
  for (const [number, path] of links.entries()) {
    const page = await load(path, {}, `127.62.10.${number + 1}`);
    expect([path, page.statusCode, page.body.length > 100]).toEqual([path, 200, true]);
  }
});

it('llms-full.txt contains the text of every guide and of every operation', async () => {
  const full = (await load('/llms-full.txt', {}, '127.62.9.5')).body;
  expect(GUIDES.filter((guide) => !full.includes(readGuide(guide)))).toEqual([]);
  const heads = OPERATIONS.map(({ summary, method, path }) => `## ${summary}\n\n\`${method} /api/v1${path}\`\n`);
  expect(heads.filter((head) => !full.includes(head))).toEqual([]);
  expect(full).toContain('Keys: merchant. Scope: `payouts:write`.');
  expect(full).toContain('- `type` (`sale.refunded`, required): ');
  expect(full).toContain('- `data.saleId` (string, at least 1');
  expect(full).toContain('- `limit` (integer, at least 1, at most 100): In the query.');
  expect(full).toContain('- `name` (string, at least 1 characters, at most 100 characters, required): Name shown to affiliates');
});

it.each(['/docs/guides/unknown.md', '/docs/operations/__proto__'])('%s is 404 in the documented shape', async (path) => {
  const { statusCode, body } = await load(path, {}, '127.62.9.6');
  expect([statusCode, JSON.parse(body).error.code]).toEqual([404, 'NOT_FOUND']);
});
