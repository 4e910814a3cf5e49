import { FOREIGN_NAMES_PER_MINUTE } from '../../src/contracts/limits.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { newHost } from '../support/dns-server.ts';
import { usePortalDomains } from '../support/portal-domains.ts';
import { recordStatements, type StatementsOf } from '../support/statements.ts';

const TOKEN = 'of-the-proxy-only';
const api = useOwnApi({ PUBLIC_URL: 'https://refer.tributary.example', TLS_ASK_TOKEN: TOKEN });
const domains = usePortalDomains(api);

let statementsOf: StatementsOf;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
});

const open = (host: string, url: string, remoteAddress = anyAddress()) =>
  api.app.inject({ url, remoteAddress, headers: { host } });
const ask = (query: Record<string, string>) => open('api:3000', `/tls/ask?${new URLSearchParams(query)}`);

test('who does not show the token of the proxy learns nothing, and nothing is looked up', async () => {
  const { host } = await domains.makeVerified();
  const wrong: Record<string, string>[] = [{}, { token: '' }, { token: `${TOKEN}x` }, { token: TOKEN.toUpperCase() }];
  const statuses: number[] = [];
  const sent = await statementsOf(async () => {
    for (const token of wrong) statuses.push((await ask({ domain: host, ...token })).statusCode);
    statuses.push((await open('api:3000', `/tls/ask?domain=${host}&token=${TOKEN}&token=${TOKEN}`)).statusCode);
  });
  expect([statuses, sent]).toEqual([[...wrong.map(() => 404), 404], []]);
  expect((await ask({ domain: host, token: TOKEN })).statusCode).toBe(200);
});

test('a name that nobody has proved is looked up once in some seconds, wherever it is asked for', async () => {
  const host = newHost();
  const sent = await statementsOf(async () => {
    for (const path of ['/', '/sign-in', '/console', '/embed?token=x', '/sign-in']) await open(host, path);
    for (const name of [host, host.toUpperCase(), `${host}.`]) await ask({ domain: name, token: TOKEN });
  });
  expect(sent).toHaveLength(1);
});

test.each(['/', '/sign-in', '/embed?token=x'])(
  '%s under any other name is counted by address before the look-up',
  async (path) => {
    const [address, host] = [anyAddress(), newHost()];
    // Another limit of the route may come first: those requests are counted here too.
    await Promise.all(Array.from({ length: FOREIGN_NAMES_PER_MINUTE }, () => open(host, path, address)));
    const sent = await statementsOf(async () => {
      const refused = await open(newHost(), path, address);
      expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    });
    expect(sent).toEqual([]);
    expect((await open(newHost(), path)).statusCode).not.toBe(429);
  },
);

test('a domain that is verified is shown within seconds, and one that has ended is not shown any more', async () => {
  const { host, remove } = await domains.makeVerified();
  expect((await open(host, '/')).statusCode).toBe(302);
  await remove();
  expect((await open(host, '/sign-in')).statusCode).toBe(404);
});

test('only under the name of this server, browsers use TLS for the names below it too', async () => {
  const { host, portalSlug } = await domains.makeVerified();
  const paths = [
    '/',
    `/join/${portalSlug}`,
    '/sign-in',
    '/nowhere',
    '/api/v1/me',
    '/api/v1/nowhere',
    '/health/live',
    '/docs/',
    '/script.js?pid=x',
  ];
  const policiesUnder = async (name: string) => {
    const responses = await Promise.all(paths.map((path) => open(name, path)));
    return [...new Set(responses.map(({ headers }) => headers['strict-transport-security']))];
  };
  expect(await policiesUnder('refer.tributary.example')).toEqual(['max-age=31536000; includeSubDomains']);
  expect(await policiesUnder('REFER.tributary.example:443')).toEqual(['max-age=31536000; includeSubDomains']);
  for (const name of [host, newHost(), `sub.${host}`, 'below.refer.tributary.example', '127.0.0.1'])
    expect([name, await policiesUnder(name)]).toEqual([name, ['max-age=31536000']]);
});
