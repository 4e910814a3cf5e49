import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { makePayable, unique } from '../support/factories.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { makeAuthority, openTlsProxy } from '../support/tls-proxy.ts';
import { until } from '../support/until.ts';

const SERVER_NAME = 'temporal.example.com';
const folder = mkdtempSync(join(tmpdir(), 'tributary-tls-'));
const path = (name: string) => join(folder, name);
const target = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';
const server = { cert: path('server.pem'), key: path('server.key') };
const client = { cert: path('client.pem'), key: path('client.key') };
const [ca, apiKey] = [path('ca.pem'), path('api-key')];

/** Certificates of server and client by a new authority, in the files that the settings name. */
const issue = (name: string) => {
  const authority = makeAuthority(folder, name);
  authority.sign(SERVER_NAME, server);
  authority.sign(name, client);
  copyFileSync(authority.ca, ca);
  writeFileSync(apiKey, `key-of-${name}\n`);
  return { ...server, clientCa: authority.ca };
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = {
  TEMPORAL_TLS_CERT: client.cert,
  TEMPORAL_TLS_KEY: client.key,
  TEMPORAL_TLS_CA: ca,
  TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
  TEMPORAL_API_KEY_FILE: apiKey,
};

const payOnce = async (system: TestSystem) => {
  const { key, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const read = async () => (await system.call('GET', `/payouts/${data.id}`, { key })).data;
  return until('the payout is completed', read, ({ status }) => status === 'completed');
};

it('TE4: works with a Temporal that asks for certificates of a private authority, and takes replaced files over while it runs', async () => {
  const proxy = await openTlsProxy(target, issue('first'));
  const system = await openTestSystem({ env: { ...settings, TEMPORAL_ADDRESS: proxy.address } });
  try {
    await payOnce(system);
    expect(proxy.seen).toEqual({ clients: ['first'], keys: ['Bearer key-of-first'] });
    proxy.restart(issue('second'));
    await payOnce(system);
    expect(proxy.seen).toEqual({ clients: ['first', 'second'], keys: ['Bearer key-of-first', 'Bearer key-of-second'] });
  } finally {
    await system.close();
    await proxy.close();
  }
});

it('TE4: without a certificate, with another authority or under another name, nothing is sent', async () => {
  const proxy = await openTlsProxy(target, issue('only'));
  const other = makeAuthority(folder, 'other');
  const access = { address: proxy.address, namespaces: DEFAULT_NAMESPACES, tls: true };
  const files = { certFile: client.cert, keyFile: client.key, caFile: ca, serverName: SERVER_NAME };
  const ping = async (more: Partial<typeof files>) => {
    const temporal = openTemporal({ ...access, ...more });
    const { workflowService } = temporal.connection;
    return temporal.connection
      .withDeadline(Date.now() + 5_000, () => workflowService.getSystemInfo({}))
      .then(
        () => 'answered',
        () => 'refused',
      )
      .finally(temporal.close);
  };
  try {
    expect(await ping(files)).toBe('answered');
    expect(await ping({ caFile: ca, serverName: SERVER_NAME })).toBe('refused');
    expect(await ping({ ...files, caFile: other.ca })).toBe('refused');
    expect(await ping({ ...files, serverName: 'elsewhere.example.com' })).toBe('refused');
    expect(await ping({ ...files, certFile: path('missing.pem') })).toBe('refused');
    expect(proxy.seen.clients).toEqual(['only']);
  } finally {
    await proxy.close();
  }
});

it('TE4: half of a certificate, and two API keys, are refused at the start', () => {
  const env = { DATABASE_URL: 'x', REDIS_URL: 'x', ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
  expect(() => loadConfig({ ...env, TEMPORAL_TLS_CERT: 'client.pem' })).toThrow('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY');
  expect(() => loadConfig({ ...env, TEMPORAL_API_KEY: 'a', TEMPORAL_API_KEY_FILE: 'b' })).toThrow('TEMPORAL_API_KEY_FILE');
});
