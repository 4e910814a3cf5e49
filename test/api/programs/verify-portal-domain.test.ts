import { useTestApi } from '../../support/api.ts';
import { newHost } from '../../support/dns-server.ts';
import { makeMerchant } from '../../support/factories.ts';
import { usePortalDomains } from '../../support/portal-domains.ts';

const api = useTestApi({ PUBLIC_URL: 'https://refer.tributary.example' });
const { dns, make, makeVerified } = usePortalDomains(api);

test('a host counts once its record was found, and is the address of the page from then on', async () => {
  const { read, set, verify, publish, portalSlug } = await make();
  expect((await read()).domain).toBeNull();
  expect((await verify()).status).toBe(404);
  const host = newHost();
  const { data } = await set(host.toUpperCase());
  const record = { type: 'TXT', name: `_tributary.${host}`, content: expect.stringMatching(/^tributary=[\w-]{43}$/) };
  expect(data.domain).toEqual({ host, isVerified: false, record, verifiedAt: null, missingSince: null });
  expect((await set(host)).data.domain).toEqual(data.domain);
  expect(await verify()).toMatchObject({ status: 409, error: { details: { reason: 'DOMAIN_NOT_VERIFIED', record } } });
  await dns.set(`_tributary.${host}`, ['v=spf1 -all', 'x'.repeat(600), `${data.domain.record.content}x`]);
  expect((await verify()).status).toBe(409);
  expect((await read()).joinUrl).toBe(`https://refer.tributary.example/join/${portalSlug}`);
  await publish(['x'.repeat(600)]);
  expect((await verify()).data.domain).toMatchObject({ isVerified: true, verifiedAt: expect.any(String) });
  expect((await read()).joinUrl).toBe(`https://${host}/join/${portalSlug}`);
  expect((await verify()).status).toBe(200);
});

test.each(['fails', 'silent'] as const)('while the name server %s, nothing is verified', async (answer) => {
  const { read, set, verify } = await make();
  await set(newHost());
  await dns.set((await read()).domain.record.name, answer);
  expect(await verify()).toMatchObject({ status: 409, error: { details: { reason: 'DNS_UNAVAILABLE' } } });
});

test('a host belongs to one program: of several that verify at a time, one has it, until it gives it up', async () => {
  const host = newHost();
  const programs = await Promise.all([make(), make(), make()]);
  for (const { set } of programs) await set(host);
  const values = await Promise.all(programs.map(async ({ read }) => (await read()).domain.record.content));
  expect(new Set(values).size).toBe(3);
  await dns.set(`_tributary.${host}`, values);
  const results = await Promise.all(programs.map(({ verify }) => verify()));
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  for (const { status, error } of results) if (status === 409) expect(error.details.reason).toBe('DOMAIN_TAKEN');
  const [winner] = programs.filter((_, at) => results[at]?.status === 200);
  const [loser] = programs.filter((_, at) => results[at]?.status === 409);
  expect((await winner?.set(newHost()))?.data.domain.isVerified).toBe(false);
  expect((await loser?.verify())?.status).toBe(200);
});

test('the program of another merchant is out of reach', async () => {
  const { verify, read } = await makeVerified();
  const stranger = await makeMerchant(api.runtime);
  expect((await verify(stranger.key)).status).toBe(403);
  expect((await read()).domain.isVerified).toBe(true);
});
