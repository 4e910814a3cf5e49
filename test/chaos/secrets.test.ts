import { createAffiliate, remindApplication } from '../../src/domains/applications/index.ts';
import { createPersonInvite, createSignInLink } from '../../src/domains/people/index.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { firstRow, rows, sql } from '../../src/platform/database/sql.ts';
import { apply } from '../support/applications.ts';
import { sendSale, signedHeaders, unique } from '../support/factories.ts';
import { callAs, tokenIn } from '../support/people.ts';
import type { AppProcess } from '../support/processes.ts';
import { retry, send } from './support/client.ts';
import { dumpOf, formsOf, workflowsOf } from './support/search.ts';
import { operator, untilSettled } from './support/settled.ts';
import { useTestCluster } from './support/test-cluster.ts';

/** B7: secrets must not appear in logs, histories, errors or tables after payouts, webhooks, rejected requests and faults. */
const cluster = useTestCluster();
let programs: AppProcess[];
const errorBodies: string[] = [];
const secrets: Record<string, string> = {};
/** Id of an endpoint with a header. */
let endpointId = '';
const person = `person-${unique()}@example.net`;

beforeAll(async () => {
  const env = { LOG_LEVEL: 'trace' };
  const [api, worker] = await Promise.all([cluster.startApi({ env }), cluster.startWorker({ env })]);
  programs = [api, worker];
  await issueSecrets(api);
  await payAffiliates(api);
  await applyElsewhere(api);
  await provokeErrors(api);
  await provokeFaults(api);
  await untilSettled(cluster.runtime);
});

/** Issued with idempotency keys, so that the stored responses contain them too. */
const issueSecrets = async ({ url }: AppProcess): Promise<void> => {
  const issue = async (path: string, body: unknown) => {
    const response = await send(url, { path, key: cluster.key, body, idempotencyKey: unique() });
    if (response.kind !== 'response' || response.status !== 201) throw new Error(`not issued: ${JSON.stringify(response)}`);
    return JSON.parse(response.body).data;
  };
  const sink = {
    name: 'second sink',
    // It repeats the headers that it received.
    url: cluster.receiver.url(`/echo/200/${unique()}`),
    subscribedEvents: ['payout.created', 'payout.completed'],
  };
  const ofAffiliate = unique();
  const { endpoint, signingSecret } = await issue('/webhooks', sink);
  endpointId = endpoint.id;
  const header = `token-${unique()}-${unique()}`;
  const headers = { Authorization: `Bearer ${header}` };
  await send(url, { method: 'PATCH', path: `/webhooks/${endpointId}/settings`, key: cluster.key, body: { headers } });
  Object.assign(secrets, {
    'api key': cluster.key,
    'issued api key': (await issue('/auth/keys', { name: 'secrets', scopes: ['merchant:read'] })).value,
    'signing secret': signingSecret,
    'webhook header': header,
    'event secret': (await issue(`/programs/${cluster.program.programId}/event-secret`, undefined)).signingSecret,
    iban: 'GB33BUKB20201555555555',
    holder: `Holder-${ofAffiliate}`,
    'paypal address': `ok+${ofAffiliate}@example.com`,
    'buyer address': `buyer-${unique()}@example.org`,
    'sandbox key': cluster.sandbox.apiKey,
    'notification secret': cluster.sandbox.notificationSecret,
    ...(await makeSignIns()),
    'encryption key': Buffer.from(cluster.runtime.config.ENCRYPTION_KEYS[0]?.key ?? '').toString('base64'),
  });
};

/** The person is invited to the merchant, and asks for a link. */
const makeSignIns = async (): Promise<Record<string, string>> => {
  const { merchantId } = cluster;
  const { url } = await createPersonInvite(operator(cluster.runtime), { merchantId, email: person, role: 'viewer' });
  const other = `${unique()}@example.net`;
  const lost = await createPersonInvite(operator(cluster.runtime), { merchantId, email: other, role: 'viewer' });
  const api = { runtime: cluster.runtime };
  const anybody = { kind: 'anonymous' } as const;
  const accepted = await callAs(api, anybody, 'acceptPersonInvite', { body: { token: tokenIn(url), name: 'Ada Secret' } });
  const link = await createSignInLink(operator(cluster.runtime), { email: person });
  await callAs(api, anybody, 'startSignIn', { body: { email: person } });
  return { 'invite token': tokenIn(lost.url), 'session token': accepted.data.token, 'sign-in token': tokenIn(link.url) };
};

const payAffiliates = async ({ url }: AppProcess): Promise<void> => {
  const { programId, eventSecret } = cluster.program;
  const methods = [
    { paypalEmail: secrets['paypal address'] },
    { bankIban: secrets['iban'], bankAccountHolder: secrets['holder'] },
  ];
  for (const payout of methods) {
    const email = payout.bankIban ? person : `other-${unique()}@example.net`;
    const { affiliateId, code } = await inTransaction(operator(cluster.runtime), (ctx) =>
      createAffiliate(ctx, { programId, email, name: 'Ada Secret', source: 'api', payout }),
    );
    const customer = { id: `c-${unique()}`, email: secrets['buyer address'] ?? '' };
    await sendSale(cluster, { programId, eventSecret }, { referralCode: code, customer });
    const { outcome } = await retry(cluster.responses, { urls: [url], key: cluster.key, body: { affiliateId, programId } });
    expect(outcome).toMatchObject({ status: 201 });
    if (payout.bankIban) await embed(url, affiliateId);
  }
};

/** Whoever has the token of an embedded page sees it. */
const embed = async (url: string, affiliateId: string): Promise<void> => {
  const request = { path: '/embed-tokens', key: cluster.key, body: { affiliateId }, idempotencyKey: unique() };
  const issued = await send(url, request);
  const { token } = issued.kind === 'response' ? JSON.parse(issued.body).data : { token: '' };
  const page = await fetch(`${url}/embed?${new URLSearchParams({ token })}`);
  expect(page.status).toBe(200);
  secrets['embed token'] = token;
};

/** The person applies to another program, waits there, and is reminded of. */
const applyElsewhere = async ({ url }: AppProcess): Promise<void> => {
  const ctx = () => operator(cluster.runtime);
  const profile = await firstRow(ctx().em, sql<{ id: string }>`select id from affiliate_profile where email = ${person}`);
  const body = { name: 'Waiting list', commissionType: 'one_time', commissionPercent: 10 };
  const created = await send(url, { path: '/programs', key: cluster.key, body });
  const programId = created.kind === 'response' ? JSON.parse(created.body).data.id : '';
  const { applicationId } = await apply(ctx(), programId, { profileId: profile?.id ?? '' });
  await remindApplication(ctx(), { applicationId, reminder: 1 });
};

/** Sends each secret where it does not belong. */
const provokeErrors = async ({ url }: AppProcess): Promise<void> => {
  for (const secret of [...Object.values(secrets), person]) {
    const key = cluster.key;
    const outcomes = await Promise.all([
      send(url, { path: '/payouts', key: `${secret}x`, body: {} }),
      send(url, { path: '/payouts', key, body: { affiliateId: secret, programId: secret } }),
      send(url, { path: '/webhooks', key, body: { name: secret, url: secret, subscribedEvents: [secret] } }),
      send(url, { method: 'PATCH', path: `/webhooks/${endpointId}/settings`, key, body: { headers: { Host: secret } } }),
      send(url, { method: 'GET', path: `/payouts/${encodeURIComponent(secret)}`, key }),
      send(url, { method: 'GET', path: `/payouts?status=${encodeURIComponent(secret)}`, key }),
    ]);
    for (const each of outcomes) if (each.kind === 'response') errorBodies.push(each.body);
  }
  const event = { type: 'sale.completed', timestamp: 'never', data: { customer: { id: 'c', email: secrets['buyer address'] } } };
  for (const body of [JSON.stringify(event), `{"email":"${secrets['buyer address']}",,}`]) {
    const response = await report(url, body);
    errorBodies.push(await response.text());
  }
};

const report = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/api/integrations/events/${cluster.program.programId}`, {
    method: 'POST',
    headers: signedHeaders(cluster.program.eventSecret, body),
    body,
  });

/** Locks tables for longer than the statement timeout: errors in the API and in activities while they handle secrets. */
const provokeFaults = async ({ url }: AppProcess): Promise<void> => {
  const customer = { id: `c-${unique()}`, email: secrets['buyer address'] ?? '' };
  const body = await cluster.payable();
  await operator(cluster.runtime).em.transactional(async (em) => {
    await em.execute('lock table payout, payout_attempt, sale, api_key, webhook_attempt in access exclusive mode');
    const sale = JSON.stringify({ type: 'sale.completed', timestamp: new Date().toISOString(), data: { customer } });
    const outcomes = await Promise.all([
      send(url, { path: '/payouts', key: cluster.key, body }),
      send(url, { path: '/auth/keys', key: cluster.key, body: { name: 'fault', scopes: ['merchant:read'] } }),
      // A write that waits for others is 409, a read is not.
      send(url, { method: 'GET', path: '/payouts', key: cluster.key }),
      report(url, sale).then(async (response) => ({
        kind: 'response' as const,
        body: await response.text(),
      })),
    ]);
    for (const each of outcomes) if (each.kind === 'response') errorBodies.push(each.body);
  });
  await retry(cluster.responses, { urls: [url], key: cluster.key, body });
};

const found = (haystack: string): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).flatMap(([form, text]) => (haystack.includes(text) ? [`${name} ${form}`] : [])),
  );

it('the search finds what is there', () => {
  for (const [name, secret] of Object.entries(secrets)) {
    expect(found(`a ${secret} b`)).toContain(`${name} plain`);
    expect(found(`a ${Buffer.from(secret).toString('hex')} b`)).toContain(`${name} hex`);
  }
});

it('no process writes a secret or an address into its log', async () => {
  const logs = (await Promise.all([...programs.map((program) => program.log()), cluster.sandbox.output()])).join('\n');
  expect(logs.length).toBeGreaterThan(10_000);
  expect(logs).toContain('"status":500');
  expect(found(logs)).toEqual([]);
  expect(logs).not.toContain(person);
});

it('no workflow history contains a secret, in any payload, failure or attribute', async () => {
  const workflows = await workflowsOf(cluster);
  expect(workflows.count).toBeGreaterThan(10);
  expect(found(workflows.text)).toEqual([]);
  expect(workflows.text).not.toContain(person);
});

it('no error response contains a secret', () => {
  expect(errorBodies.length).toBeGreaterThan(50);
  expect(errorBodies.join()).toContain('INTERNAL_ERROR');
  expect(found(errorBodies.join('\n'))).toEqual([]);
});

it('no table contains a secret in plain text, and personal data only the tables of people', async () => {
  const dump = await dumpOf(cluster);
  expect(Object.keys(dump).length).toBeGreaterThan(20);
  const guilty = Object.entries(dump).flatMap(([table, text]) => found(text).map((what) => `${table}: ${what}`));
  expect(guilty).toEqual([]);
  const withPerson = Object.entries(dump).flatMap(([table, text]) => (text.includes(person) ? [table] : []));
  // `search_text` of affiliates and applications is the copy that searches look through.
  // An event about a person holds the resource as REST returns it, for the merchant's own receivers.
  expect(withPerson.sort()).toEqual([
    'affiliate',
    'affiliate_profile',
    'application',
    'person',
    'person_invite',
    'webhook_event',
  ]);
  const withoutCopy = sql`(to_jsonb(a) - 'search_text')::text`;
  for (const table of ['affiliate', 'application']) {
    const copies = await rows(
      operator(cluster.runtime).em,
      sql`select 1 from ${sql.table(table)} a where ${withoutCopy} like ${`%${person}%`}`,
    );
    expect([table, copies]).toEqual([table, []]);
  }
});
