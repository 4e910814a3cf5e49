import { useTestApi } from '../../support/api.ts';
import { newHost } from '../../support/dns-server.ts';
import { makeMerchant } from '../../support/factories.ts';
import { usePortalDomains } from '../../support/portal-domains.ts';

const api = useTestApi({ PUBLIC_URL: 'https://refer.tributary.example' });
const { make, makeVerified } = usePortalDomains(api);

test('another host needs another record, and that of before ends', async () => {
  const { set, host, record } = await makeVerified();
  expect((await set(host)).data.domain.isVerified).toBe(true);
  const { domain } = (await set(newHost())).data;
  expect([domain.isVerified, domain.record.content === record.content]).toEqual([false, false]);
});

test('an international name is kept in ASCII', async () => {
  const { set } = await make();
  expect((await set('partner.bücher.example')).data.domain.host).toBe('partner.xn--bcher-kva.example');
});

test.each([
  [''],
  ['acme'],
  ['localhost'],
  ['127.0.0.1'],
  ['2130706433'],
  ['0x7f.1'],
  ['[::1]'],
  ['::1'],
  ['acme.example:443'],
  ['https://acme.example'],
  ['acme.example/path'],
  ['acme..example'],
  ['-acme.example'],
  ['acme_.example'],
  ['*.acme.example'],
  ['acme.example.'],
  ['user@acme.example'],
  [`${'a'.repeat(64)}.example`],
  [`${'a.'.repeat(100)}example`],
  ['refer.tributary.example'],
  ['other.refer.tributary.example'],
  ['tributary.example'],
  ['co.uk'],
  ['github.io'],
  ['acme.local'],
])('422 for %j as a host', async (host) => {
  const { set, read } = await make();
  expect(await set(host)).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'host' }] } } });
  expect((await read()).domain).toBeNull();
});

test('the program of another merchant is out of reach', async () => {
  const { set, read } = await makeVerified();
  const stranger = await makeMerchant(api.runtime);
  expect((await set(newHost(), stranger.key)).status).toBe(403);
  expect((await read()).domain.isVerified).toBe(true);
});
