import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useTestApi();

/** Host names that a portal domain can have, and what browsers send for them. */
const HOSTS: [given: (id: string) => string, ascii: (id: string) => string][] = [
  [(id) => `${id}.acme.example`, (id) => `${id}.acme.example`],
  [(id) => `${id}.ACME.example`, (id) => `${id}.acme.example`],
  [(id) => `${id}.b\u00fccher.example`, (id) => `${id}.xn--bcher-kva.example`],
  [(id) => `${id}.\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444`, (id) => `${id}.xn--e1afmkfd.xn--p1ai`],
  [(id) => `${id}.xn--e1afmkfd.xn--p1ai`, (id) => `${id}.xn--e1afmkfd.xn--p1ai`],
  [(id) => `${id}.acme.museum`, (id) => `${id}.acme.museum`],
];

const make = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const change = (body: unknown) => api.call('PATCH', `/programs/${programId}`, { key, body });
  const setHost = (host: string) => api.call('PUT', `/programs/${programId}/portal/domain`, { key, body: { host } });
  return { key, programId, change, setHost };
};

test.each(HOSTS)('BR2: websites, landing pages and origins take the host name of a portal domain: %s', async (given, ascii) => {
  const { change, setHost } = await make();
  const id = `x${unique()}`;
  expect(await setHost(given(id))).toMatchObject({ status: 200, data: { domain: { host: ascii(id) } } });
  const url = `https://${given(id)}/pricing`;
  expect(await change({ website: url, landingPageUrl: url, termsUrl: url })).toMatchObject({
    status: 200,
    data: { website: url },
  });
  const origins = await change({ embedOrigins: [`https://${given(id)}`, `https://${given(id)}:8443`] });
  expect(origins).toMatchObject({ status: 200, data: { embedOrigins: [`https://${ascii(id)}`, `https://${ascii(id)}:8443`] } });
  expect((await change({ embedOrigins: [`https://${given(id)}`, `https://${ascii(id)}`] })).status).toBe(422);
});

test.each([
  '192.0.2.1',
  'acme',
  'acme.123',
  'a_b.example',
  '-a.example',
  'a..example',
  '*.acme.example',
  `${'a'.repeat(64)}.example`,
])('BR2: none of them takes %s', async (host) => {
  const { change, setHost } = await make();
  expect((await setHost(host)).status).toBe(422);
  for (const body of [
    { website: `https://${host}/` },
    { landingPageUrl: `https://${host}/` },
    { embedOrigins: [`https://${host}`] },
  ])
    expect([body, (await change(body)).status]).toEqual([body, 422]);
});
