import type { Scope } from '../../../src/contracts/scopes.ts';
import { checkPortalDomains } from '../../../src/domains/programs/index.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { newHost } from '../../support/dns-server.ts';
import { makeKey } from '../../support/factories.ts';
import { callAs, makePerson } from '../../support/people.ts';
import { usePortalDomains } from '../../support/portal-domains.ts';
import { mailsAbout, testContext } from './support.ts';

const api = useOwnApi();
const domains = usePortalDomains(api);

const make = async () => {
  const program = await domains.make();
  const { key } = program;
  const merchantId: string = (await api.call('GET', '/merchant', { key })).data.id;
  const keyWith = async (...scopes: Scope[]) => (await makeKey(api.runtime, { ownerId: merchantId, scopes })).key;
  const told = async () => {
    const { data } = await api.call('GET', '/audit-log', { key });
    const mails = await Promise.all(data.map(({ id }: { id: string }) => mailsAbout(api.runtime, id)));
    return mails.flat().filter(({ subject }) => /domain|app/.test(subject));
  };
  return { ...program, merchantId, keyWith, told };
};

test('a key that may only run programs sets a domain and does not verify it, and the merchant is told', async () => {
  const { set, publish, verify, read, keyWith, told } = await make();
  const manager = await keyWith('programs:read', 'programs:write');
  const host = newHost();
  expect((await set(host, manager)).status).toBe(200);
  await publish();
  expect(await verify(manager)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  expect((await read()).domain.isVerified).toBe(false);
  const [mail, ...others] = await told();
  expect(others).toEqual([]);
  expect(mail?.subject).toBe('The domain of a program was changed');
  expect(mail?.text).toContain(host.replaceAll('.', '[.]'));
  expect((await verify(await keyWith('merchant:manage', 'programs:read'))).status).toBe(200);
});

test('the merchant is told when a domain is verified, changed, removed and lost, each once', async () => {
  const { set, publish, verify, remove, told, programId } = await make();
  const count = async () => (await told()).length;
  await set(newHost());
  await publish();
  const steps = [await count()];
  for (const step of [verify, verify, () => set(newHost()), remove, remove]) {
    await step();
    steps.push(await count());
  }
  expect(steps).toEqual([1, 2, 2, 3, 4, 4]);
  await set(newHost());
  await publish();
  await verify();
  const { em } = testContext(api.runtime);
  await execute(
    em,
    sql`update program_portal set host_token = 'another', host_check_at = now(), host_missing_since = now() - interval '8 days'
      where program_id = ${programId}::uuid`,
  );
  const before = await count();
  await checkPortalDomains(testContext(api.runtime));
  expect((await count()) - before).toBe(1);
});

test('the merchant is told of further apps in which pages may be shown, and of none when there are fewer', async () => {
  const { key, programId, told } = await make();
  const change = (embedOrigins: string[]) => api.call('PATCH', `/programs/${programId}`, { key, body: { embedOrigins } });
  await change(['https://app.acme.example']);
  const [mail] = await told();
  expect(mail?.subject).toBe('Another app may show the pages of your affiliates');
  expect(mail?.text).toContain('app[.]acme[.]example');
  await change(['https://app.acme.example', 'https://evil.example']);
  await change(['https://evil.example']);
  await change([]);
  expect(await told()).toHaveLength(2);
  const made = await api.call('POST', '/programs', {
    key,
    body: { name: 'New', commissionType: 'one_time', commissionPercent: 10, embedOrigins: ['https://evil.example'] },
  });
  expect(made.status).toBe(201);
  expect(await told()).toHaveLength(3);
});

test('people prove who they are before they move pages', async () => {
  const { merchantId, programId, set, publish } = await make();
  const { actor } = await makePerson(api, { merchantId, isFresh: false });
  const params = { id: programId };
  await set(newHost());
  await publish();
  const stale = [
    await callAs(api, actor, 'setPortalDomain', { params, body: { host: newHost() } }),
    await callAs(api, actor, 'verifyPortalDomain', { params }),
    await callAs(api, actor, 'removePortalDomain', { params }),
    await callAs(api, actor, 'updateProgram', { params, body: { embedOrigins: ['https://app.acme.example'] } }),
  ];
  expect(stale.map(({ status, error }) => [status, error?.details['reason']])).toEqual(
    stale.map(() => [403, 'FRESH_CHECK_REQUIRED']),
  );
  expect((await callAs(api, actor, 'updateProgram', { params, body: { name: 'Friends' } })).status).toBe(200);
  const row = await firstRow(
    testContext(api.runtime).em,
    sql<{
      verified: boolean;
    }>`select host_verified_at is not null as verified from program_portal where program_id = ${programId}::uuid`,
  );
  expect(row).toEqual({ verified: false });
});
