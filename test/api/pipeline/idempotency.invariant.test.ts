import { OPERATIONS } from '../../../src/api/routes.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeKey, makeMerchant, makePayable, makeProgram, unique } from '../../support/factories.ts';
import { system } from './support.ts';

const api = useOwnApi();

const programBody = () => ({ name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 });
const post = (key: string, idempotencyKey: string, path: string, body?: unknown) =>
  api.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
const run = <T>(statement: ReturnType<typeof sql<T>>) => firstRow(api.runtime.context(system).em, statement);
const programsOf = async (key: string): Promise<number> => (await api.call('GET', '/programs', { key })).meta.total;
const records = async (): Promise<number> =>
  (await run(sql<{ n: number }>`select count(*)::int as n from idempotency_record`))?.n ?? 0;

describe('the documented rules', () => {
  it('processes the first request normally', async () => {
    const { key } = await makeMerchant(api.runtime);
    const first = await post(key, 'order-1', '/programs', programBody());
    expect(first.status).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
  });

  it('a retry with the same key and body gets the same bytes and creates nothing', async () => {
    const { key } = await makeMerchant(api.runtime);
    const body = programBody();
    const first = await post(key, 'order-1', '/programs', body);
    const again = await post(key, 'order-1', '/programs', body);
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    expect(again.meta.requestId).toBe(first.headers['x-request-id']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await programsOf(key)).toBe(1);
  });

  it('a retry with another body is 409 IDEMPOTENCY_KEY_REUSED, and the first response stays stored', async () => {
    const { key } = await makeMerchant(api.runtime);
    const body = programBody();
    const first = await post(key, 'order-1', '/programs', body);
    const other = await post(key, 'order-1', '/programs', { ...body, commissionPercent: 11 });
    expect(other).toMatchObject({ status: 409, error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(other.headers['idempotency-replayed']).toBeUndefined();
    expect((await post(key, 'order-1', '/programs', body)).text).toBe(first.text);
    expect(await programsOf(key)).toBe(1);
  });

  it.each([
    ['23 hours and 59 minutes', 'the first answer', 1],
    ['24 hours and 1 minute', 'a new one', 2],
  ])('a key that is %s old brings %s', async (age, _what, programs) => {
    const { key } = await makeMerchant(api.runtime);
    const body = programBody();
    const first = await post(key, 'order-1', '/programs', body);
    await run(sql`update idempotency_record set created_at = now() - ${age.replace('and ', '')}::interval`);
    const again = await post(key, 'order-1', '/programs', body);
    expect(again.status).toBe(201);
    expect(again.text === first.text).toBe(programs === 1);
    expect(await programsOf(key)).toBe(programs);
    expect((await post(key, 'order-1', '/programs', body)).text).toBe(again.text);
  });

  it('an expired key can be used with another body', async () => {
    const { key } = await makeMerchant(api.runtime);
    await post(key, 'order-1', '/programs', programBody());
    await run(sql`update idempotency_record set created_at = now() - interval '25 hours'`);
    expect((await post(key, 'order-1', '/programs', programBody())).status).toBe(201);
  });

  it('PATCH, DELETE and GET ignore the header', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const headers = { 'idempotency-key': 'order-1' };
    const before = await records();
    for (const name of ['First', 'Second']) {
      const response = await api.call('PATCH', `/programs/${programId}`, { key, body: { name }, headers });
      expect(response).toMatchObject({ status: 200, data: { name } });
      expect(response.headers['idempotency-replayed']).toBeUndefined();
    }
    expect((await api.call('GET', `/programs/${programId}`, { key, headers })).data.name).toBe('Second');
    expect((await api.call('DELETE', `/programs/${programId}`, { key, headers })).data.status).toBe('archived');
    expect(await records()).toBe(before);
  });
});

describe('equal requests', () => {
  it('the order of fields and white space does not matter', async () => {
    const { key } = await makeMerchant(api.runtime);
    const first = await post(key, 'k', '/programs', '{"name":"A","commissionType":"one_time","commissionPercent":10}');
    const again = await post(key, 'k', '/programs', '{ "commissionPercent": 10.0,\n "name": "A", "commissionType": "one_time" }');
    expect(again).toMatchObject({ status: 201, text: first.text });
  });

  it('no body and an empty object are equal', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const first = await post(key, 'k', `/programs/${programId}/event-secret`);
    expect((await post(key, 'k', `/programs/${programId}/event-secret`, {})).text).toBe(first.text);
  });

  it('another path, object or API key of the same merchant makes another request', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const second = await makeKey(api.runtime, { ownerId: merchantId });
    const body = programBody();
    const first = await post(key, 'k', '/programs', body);
    const other = await post(second.key, 'k', '/programs', body);
    expect(other.status).toBe(201);
    expect(other.data.id).not.toBe(first.data.id);
    const secrets = [];
    for (const { id } of [first.data, other.data])
      secrets.push((await post(key, 'k', `/programs/${id}/event-secret`)).data.signingSecret);
    expect(new Set(secrets).size).toBe(2);
  });

  it('escapes and upper case in the path make no other request', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const first = await post(key, 'k', `/programs/${programId}/event-secret`);
    for (const path of [`/programs/${programId.toUpperCase()}/event-secret`, `/programs/${programId}/event%2Dsecret`]) {
      expect(await post(key, 'k', path)).toMatchObject({ text: first.text, headers: { 'idempotency-replayed': 'true' } });
    }
  });
});

describe('the header', () => {
  it.each([
    ['255 characters', 'x'.repeat(255), 201],
    ['visible ASCII of every kind', '!"#$%&\'()*+,-./0:;<=>?@AZ[\\]^_`az{|}~', 201],
    ['256 characters', 'x'.repeat(256), 400],
    ['a letter outside ASCII', 'schl\u00fcssel', 400],
    ['a tab inside', 'a\tb', 400],
    ['a space inside', 'a b', 400],
  ])('%s: %s', async (_name, idempotencyKey, status) => {
    const { key } = await makeMerchant(api.runtime);
    const response = await post(key, idempotencyKey, '/programs', programBody());
    expect(response.status).toBe(status);
    if (status === 400)
      expect(response.error).toMatchObject({ code: 'BAD_REQUEST', details: { issues: [{ path: 'Idempotency-Key' }] } });
    expect(await programsOf(key)).toBe(status === 201 ? 1 : 0);
  });

  it.each(['', '   ', '\t'])('a blank header (%j) is ignored: each request is processed', async (idempotencyKey) => {
    const { key } = await makeMerchant(api.runtime);
    const body = programBody();
    for (let time = 0; time < 2; time++) expect((await post(key, idempotencyKey, '/programs', body)).status).toBe(201);
    expect(await programsOf(key)).toBe(2);
  });

  it('blanks around a key are ignored, as the published client trims them', async () => {
    const { key } = await makeMerchant(api.runtime);
    const body = programBody();
    const first = await post(key, '  order-1 ', '/programs', body);
    expect((await post(key, 'order-1', '/programs', body)).text).toBe(first.text);
  });
});

it('400 for a no-break space around a key, which is not a blank of HTTP', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect((await post(key, '\u00a0order-1', '/programs', programBody())).status).toBe(400);
});

describe('secrets', () => {
  const shows = (op: (typeof OPERATIONS)[number]) => /"(signingSecret|value|secret)":/.test(JSON.stringify(op.example.data));

  it.each(OPERATIONS.filter((op) => op.method === 'POST' && shows(op)).map((op) => [op.id, op] as const))(
    '%s declares that its response contains a secret',
    (_id, op) => expect(op.secret).toBe(true),
  );

  it('a response with a secret is replayed in full, and stored encrypted', async () => {
    const { key, keyId } = await makeMerchant(api.runtime);
    const body = { name: 'Backend', preset: 'readonly' };
    const first = await post(key, 'k', '/auth/keys', body);
    const row = await run(
      sql<{ body: string; encrypted: boolean }>`select body, encrypted from idempotency_record order by created_at desc limit 1`,
    );
    expect(row?.encrypted).toBe(true);
    for (const plain of [first.data.value, first.data.value.slice(8, 40), first.data.key.id, keyId])
      expect(row?.body).not.toContain(plain);
    expect(await post(key, 'k', '/auth/keys', body)).toMatchObject({ status: 201, text: first.text });
  });

  it('an encrypted response copied to another record cannot be decrypted', async () => {
    const { key } = await makeMerchant(api.runtime);
    const body = { name: 'Backend', preset: 'readonly' };
    await post(key, 'a', '/auth/keys', body);
    await post(key, 'b', '/auth/keys', body);
    await run(sql`with own as (select id, body from idempotency_record order by created_at desc limit 2)
      update idempotency_record r set body = (select body from own limit 1) from own where r.id = own.id`);
    const responses = [await post(key, 'a', '/auth/keys', body), await post(key, 'b', '/auth/keys', body)];
    expect(responses.map((response) => response.status).sort()).toEqual([201, 500]);
  });
});

test('50 simultaneous payouts with one key and one body: one payout, and the same response for all', async () => {
  for (let round = 0; round < 20; round++) {
    const { key, affiliateId, programId } = await makePayable(api);
    const body = { affiliateId, programId, method: 'paypal' };
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(key, `round-${round}`, '/payouts', body)));
    const paid = responses.filter((response) => response.status === 201);
    const others = responses.filter((response) => response.status !== 201);
    expect(new Set(paid.map((response) => response.text)).size).toBe(1);
    expect(paid.filter((response) => response.headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    // A busy machine refuses those that waited too long for their turn.
    const refused = ['409 IDEMPOTENCY_IN_PROGRESS', '429 OVERLOADED'];
    for (const { status, error } of others) expect(refused).toContain(`${status} ${error.details.reason}`);
    expect((await api.call('GET', '/payouts', { key })).meta.total).toBe(1);
  }
});
