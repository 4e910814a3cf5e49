import type { AddressInfo } from 'node:net';
import { MAX_BODY_BYTES } from '../../../src/contracts/limits.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, saleEvent, signedHeaders, type TestProgram } from '../../support/factories.ts';
import { parseResponse, requestText, sendRaw } from '../../support/raw-http.ts';
import { recordStatements, type StatementsOf } from '../../support/statements.ts';
import { stripeSignature } from '../../support/stripe/stripe-events.ts';
import { until } from '../../support/until.ts';
import { openAnotherApi } from './another-api.ts';

const PER_MINUTE = 30;
const WRONG_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const api = useOwnApi({ STRIPE_CONNECT_WEBHOOK_SECRET: 'whsec_of_the_connect_endpoint' });
let statementsOf: StatementsOf;
let program: TestProgram;
let key: string;
let port: number;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
  ({ key } = await makeMerchant(api.runtime));
  program = await makeProgram(api, key);
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = api.app.server.address() as AddressInfo);
});

const BODY = JSON.stringify(saleEvent({}));
const eventsPath = () => `/api/integrations/events/${program.programId}`;

const report = (secret: string, from = anyAddress()) =>
  api.raw('POST', eventsPath(), { body: BODY, headers: signedHeaders(secret, BODY), from });

const MALFORMED: Record<string, Record<string, string>> = {
  'without headers': {},
  'without a timestamp': { 'webhook-id': 'evt_1', 'webhook-signature': `v1,${'A'.repeat(43)}=` },
  'with a timestamp that is no number': {
    ...signedHeaders(WRONG_SECRET, BODY),
    'webhook-timestamp': 'now',
  },
  'with an id of several words': { ...signedHeaders(WRONG_SECRET, BODY), 'webhook-id': 'evt 1' },
  'with a signature that is too short': { ...signedHeaders(WRONG_SECRET, BODY), 'webhook-signature': 'v1,AAAA' },
};

describe.each(Object.entries(MALFORMED))('SE4: a request %s', (_name, headers) => {
  test('the request is refused without a statement', async () => {
    const sent = await statementsOf(async () => {
      expect(await api.raw('POST', eventsPath(), { body: BODY, headers })).toMatchObject({
        status: 401,
        error: { code: 'UNAUTHORIZED' },
      });
    });
    expect(sent).toEqual([]);
  });

  test('the request is refused before its body is received', async () => {
    const head = requestText(`POST ${eventsPath()}`, { ...headers, Connection: 'keep-alive', 'Content-Length': 65_537 }, '{');
    const response = parseResponse(await sendRaw(port, head));
    expect(response.status).toBe(401);
    expect(response.headers['connection']).toBe('close');
  });
});

test('SE4: a malformed signature of Stripe is refused before its body is received', async () => {
  const malformed = ['', 't=1', `t=now,v1=${'0'.repeat(64)}`, 't=1,v1=00', `t=1,v1=${'z'.repeat(64)}`];
  for (const signature of malformed) {
    const text = requestText('POST /api/integrations/stripe', { 'Stripe-Signature': signature, 'Content-Length': 100 });
    expect(parseResponse(await sendRaw(port, text, { idleMs: 2_000 })).status).toBe(401);
  }
  const { 'stripe-signature': signature = '' } = stripeSignature('{}', 'whsec_of_the_connect_endpoint');
  const signed = requestText('POST /api/integrations/stripe', { 'Stripe-Signature': signature, 'Content-Length': 2 }, '{}');
  expect(parseResponse(await sendRaw(port, signed)).status).toBe(200);
});

const fail = async (times: number, from: string, path = eventsPath()) => {
  const headers = () => signedHeaders(WRONG_SECRET, BODY);
  const statuses: number[] = [];
  for (let time = 0; time < times; time++)
    statuses.push((await api.raw('POST', path, { body: BODY, headers: headers(), from })).status);
  return statuses;
};

const LIMITED = { status: 429, error: { code: 'RATE_LIMITED' }, headers: { 'retry-after': expect.stringMatching(/^[1-9]/) } };

test('BR6: after 30 failed signatures of an address at a program in a minute, only what is signed is accepted there, without a query', async () => {
  const from = anyAddress();
  expect(new Set(await fail(PER_MINUTE, from))).toEqual(new Set([401]));
  // Whatever was cached may have ended meanwhile.
  await report(program.eventSecret);
  const sent = await statementsOf(async () => {
    expect(await report(WRONG_SECRET, from)).toMatchObject(LIMITED);
    expect(await api.raw('POST', eventsPath(), { body: BODY, from })).toMatchObject(LIMITED);
  });
  expect(sent).toEqual([]);
  const signed = await statementsOf(async () => {
    expect((await report(program.eventSecret, from)).status).toBe(200);
  });
  expect(signed.filter((text) => text.includes('program_event_secret'))).toEqual([]);
});

test('BR6: other programs and receivers are not concerned by failures at one', async () => {
  const from = anyAddress();
  const other = await makeProgram(api, key);
  const otherPath = `/api/integrations/events/${other.programId}`;
  await fail(PER_MINUTE + 1, from);
  expect(await fail(1, from, otherPath)).toEqual([401]);
  expect((await api.raw('POST', otherPath, { body: BODY, from })).status).toBe(401);
  const headers = signedHeaders(other.eventSecret, BODY);
  expect((await api.raw('POST', otherPath, { body: BODY, headers, from })).status).toBe(200);
  const wrong = stripeSignature('{}', 'whsec_of_somebody_else');
  expect((await api.raw('POST', '/api/integrations/stripe', { body: '{}', headers: wrong, from })).status).toBe(401);
});

test('BR6: the receivers of Stripe accept what is signed from an address whose signatures failed there', async () => {
  const from = anyAddress();
  const send = (secret: string) =>
    api.raw('POST', '/api/integrations/stripe', { body: '{}', headers: stripeSignature('{}', secret), from });
  for (let time = 0; time < PER_MINUTE; time++) expect((await send('whsec_of_somebody_else')).status).toBe(401);
  expect(await send('whsec_of_somebody_else')).toMatchObject(LIMITED);
  expect((await send('whsec_of_the_connect_endpoint')).status).toBe(200);
});

test('BR6: who has guessed programs costs one query for each that exists, and none for what was just read', async () => {
  const from = anyAddress();
  for (let time = 0; time < PER_MINUTE; time++)
    expect(await fail(1, from, `/api/integrations/events/${api.runtime.ids.next()}`)).toEqual([404]);
  const guessed = `/api/integrations/events/${api.runtime.ids.next()}`;
  expect(await fail(1, from, guessed)).toEqual([429]);
  expect(await statementsOf(async () => expect(await fail(5, from, guessed)).toEqual([429, 429, 429, 429, 429]))).toEqual([]);
  const other = await makeProgram(api, key);
  const path = `/api/integrations/events/${other.programId}`;
  const signed = () => api.raw('POST', path, { body: BODY, headers: signedHeaders(other.eventSecret, BODY), from });
  expect(await Promise.all(Array.from({ length: 5 }, async () => (await signed()).status))).toEqual([200, 200, 200, 200, 200]);
});

test('BR6: an address that fails everywhere is limited everywhere, and what is signed is accepted', async () => {
  const from = anyAddress();
  const programs = await Promise.all(Array.from({ length: 11 }, () => makeProgram(api, key)));
  const paths = programs.map(({ programId }) => `/api/integrations/events/${programId}`);
  for (const path of paths.slice(0, 10)) await Promise.all(Array.from({ length: PER_MINUTE }, () => fail(1, from, path)));
  expect(await fail(1, from, paths[10])).toEqual([429]);
  expect((await report(program.eventSecret, from)).status).toBe(200);
});

test('SE4: missing headers count as failed signatures, and whatever is no name of a program is one target', async () => {
  const from = anyAddress();
  for (let time = 0; time < PER_MINUTE; time++) {
    expect((await api.raw('POST', `/api/integrations/events/a%20${time}`, { body: BODY, from })).status).toBe(401);
  }
  expect((await api.raw('POST', '/api/integrations/events/b%20c', { body: BODY, from })).status).toBe(429);
  expect((await report(program.eventSecret, from)).status).toBe(200);
});

test('SE4: the failures of an address are counted over all processes', async () => {
  const another = await openAnotherApi(api.runtime.config.DATABASE_URL);
  const from = anyAddress();
  const toOther = async (secret: string): Promise<number> => {
    const response = await another.app.inject({
      method: 'POST',
      url: eventsPath(),
      remoteAddress: from,
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, BODY) },
      payload: BODY,
    });
    return response.statusCode;
  };
  await fail(PER_MINUTE, from);
  // A process that has seen none of them learns of them by the next.
  await toOther(WRONG_SECRET);
  const statuses = [await toOther(WRONG_SECRET), await toOther(program.eventSecret)];
  await another.close();
  expect(statuses).toEqual([429, 200]);
});

test('SE4: requests that are signed are not limited by failures of other addresses, and read the secret once in 5 s', async () => {
  await report(program.eventSecret);
  const sent = await statementsOf(() => report(program.eventSecret));
  expect(sent.filter((text) => text.includes('program_event_secret'))).toEqual([]);
});

test('SE4: a new secret signs at once, and a replaced one does not after its expiry', async () => {
  const own = await makeProgram(api, key);
  const send = async (secret: string) =>
    (await api.raw('POST', `/api/integrations/events/${own.programId}`, { body: BODY, headers: signedHeaders(secret, BODY) }))
      .status;
  const issue = async (): Promise<string> =>
    (await api.call('POST', `/programs/${own.programId}/event-secret`, { key })).data.signingSecret;
  expect(await send(own.eventSecret)).toBe(200);
  const secrets = [own.eventSecret];
  for (let time = 0; time < 3; time++) {
    const next = await issue();
    expect(await send(next)).toBe(200);
    secrets.push(next);
  }
  // At most three are valid at a time.
  expect(await Promise.all(secrets.map(send))).toEqual([401, 200, 200, 200]);
});

describe('SE4: a signature that is well-formed and wrong counts as failed', () => {
  const CHUNKED = { ...signedHeaders(WRONG_SECRET, BODY), 'Transfer-Encoding': 'chunked' };

  test('when its body is larger than 1 MiB', async () => {
    const from = anyAddress();
    const body = `${(MAX_BODY_BYTES + 1).toString(16)}\r\n${'x'.repeat(MAX_BODY_BYTES + 1)}\r\n0\r\n\r\n`;
    for (let time = 0; time < PER_MINUTE; time++)
      expect(parseResponse(await sendRaw(port, requestText(`POST ${eventsPath()}`, CHUNKED, body), { from })).status).toBe(400);
    expect((await report(WRONG_SECRET, from)).status).toBe(429);
    expect((await report(program.eventSecret, from)).status).toBe(200);
  });

  test('when its sender hangs up before the end of its body', async () => {
    const from = anyAddress();
    const text = requestText(`POST ${eventsPath()}`, { ...signedHeaders(WRONG_SECRET, BODY), 'Content-Length': 1_000 }, '{');
    await Promise.all(Array.from({ length: PER_MINUTE }, () => sendRaw(port, text, { from, hangUpAfterMs: 500 })));
    // Each look counts as well: they are fewer than the failures that are looked for.
    let looks = 0;
    await until(
      'the aborted requests of this sender count',
      async () => {
        looks++;
        return (await report(WRONG_SECRET, from)).status;
      },
      (status) => status === 429,
    );
    expect(looks).toBeLessThan(PER_MINUTE);
  });

  test('when its body takes longer than 15 seconds', async () => {
    const from = anyAddress();
    const text = requestText(`POST ${eventsPath()}`, { ...signedHeaders(WRONG_SECRET, BODY), 'Content-Length': 1_000 }, '{');
    const sent = await Promise.all(Array.from({ length: PER_MINUTE }, () => sendRaw(port, text, { from })));
    expect(new Set(sent.map((response) => parseResponse(response).status))).toEqual(new Set([400]));
    expect((await report(WRONG_SECRET, from)).status).toBe(429);
  });
});
