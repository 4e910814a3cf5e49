import { inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { AppError } from '../../../src/platform/errors.ts';
import {
  deleteExpiredIdempotencyRecords,
  findStoredResponse,
  requestIdentity,
  reserveIdempotencyKey,
  storeResponse,
} from '../../../src/platform/idempotency/idempotency.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makePayable, makeProgram, sendSale, unique } from '../../support/factories.ts';
import { pause } from '../../support/until.ts';
import { system } from './support.ts';

const api = useOwnApi({ DATABASE_POOL: '3' }, { asOwner: true });

const programBody = () => ({ name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 });
const post = (key: string, idempotencyKey: string, path: string, body?: unknown) =>
  api.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
const run = <T>(statement: ReturnType<typeof sql<T>>) => firstRow(api.runtime.context(system).em, statement);
const records = async (): Promise<number> =>
  (await run(sql<{ n: number }>`select count(*)::int as n from idempotency_record`))?.n ?? 0;
const programsOf = async (key: string): Promise<number> => (await api.call('GET', '/programs', { key })).meta.total;

describe('errors of the use case are stored', () => {
  it('409: the same response, even if the request would succeed now', async () => {
    const { key } = await makeMerchant(api.runtime);
    const program = await makeProgram(api, key);
    const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId);
    const body = { affiliateId, programId: program.programId };
    const first = await post(key, 'k', '/payouts', body);
    expect(first).toMatchObject({ status: 409, error: { details: { reason: 'NOTHING_PAYABLE' } } });
    await sendSale(api, program, { referralCode: code });
    expect(await post(key, 'k', '/payouts', body)).toMatchObject({
      status: 409,
      text: first.text,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect((await post(key, 'another', '/payouts', body)).status).toBe(201);
  });

  it.each([
    ['404', '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff', 404],
    ['403 of another tenant', null, 403],
  ])('%s', async (_name, id, status) => {
    const theirs = await makePayable(api);
    const { key } = await makeMerchant(api.runtime);
    const before = await records();
    const path = `/affiliates/${id ?? theirs.affiliateId}/block`;
    const first = await post(key, 'k', path);
    expect(first.status).toBe(status);
    expect(await post(key, 'k', path)).toMatchObject({ status, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    expect(await records()).toBe(before + 1);
  });

  it('writes of a failed use case are rolled back', async () => {
    const { key } = await makeMerchant(api.runtime);
    const portalSlug = `slug-${unique()}`;
    expect((await post(key, 'a', '/programs', { ...programBody(), portalSlug })).status).toBe(201);
    expect(await post(key, 'b', '/programs', { ...programBody(), portalSlug })).toMatchObject({ status: 409 });
    expect(await programsOf(key)).toBe(1);
    const events = await run(sql<{
      n: number;
    }>`select count(*)::int as n from webhook_event where type = 'program.created' and merchant_id =
      (select merchant_id from program where portal_slug = ${portalSlug})`);
    expect(events?.n).toBe(1);
  });
});

describe('other errors are not stored', () => {
  const caller = async () => (await makeMerchant(api.runtime)).key;
  const scoped = async () =>
    (await makeKey(api.runtime, { ownerId: (await makeMerchant(api.runtime)).merchantId, scopes: ['programs:read'] })).key;
  const exhausted = async () => {
    const { key } = await makeKey(api.runtime, { ownerId: (await makeMerchant(api.runtime)).merchantId, rateLimit: 1 });
    await api.call('GET', '/programs', { key });
    return key;
  };

  it.each([
    ['400, an unrecognized parameter', caller, '/programs?x=1', programBody(), 400],
    ['400, a body that is no JSON', caller, '/programs', '{', 400],
    ['400, an id that is none', caller, '/affiliates/x/block', {}, 400],
    ['401', async () => 'ak_live_nobody', '/programs', programBody(), 401],
    ['403, a missing scope', scoped, '/programs', programBody(), 403],
    ['404, an unknown path', caller, '/nothing', {}, 404],
    ['422', caller, '/programs', { name: '' }, 422],
    ['429', exhausted, '/programs', programBody(), 429],
  ])('%s', async (_name, makeCaller, path, body, status) => {
    const key = await makeCaller();
    const before = await records();
    expect((await post(key, 'k', path, body)).status).toBe(status);
    expect(await records()).toBe(before);
  });

  it('a key is still unused after a 422', async () => {
    const key = await caller();
    expect((await post(key, 'k', '/programs', { name: '' })).status).toBe(422);
    expect((await post(key, 'k', '/programs', programBody())).status).toBe(201);
  });
});

describe('the record and the effect are committed together', () => {
  const FAULTS = {
    'the effect fails': sql`create trigger fault before insert on program for each row execute function fault_raise()`,
    'the connection dies between the effect and its record': sql`create trigger fault before insert on idempotency_record for each row execute function fault_die()`,
    'the connection dies after the record': sql`create trigger fault after insert on idempotency_record for each row execute function fault_die()`,
    'a constraint refuses at the commit': sql`create constraint trigger fault after insert on program deferrable initially deferred
      for each row execute function fault_raise()`,
    'the connection dies at the commit': sql`create constraint trigger fault after insert on program deferrable initially deferred
      for each row execute function fault_die()`,
  };
  beforeAll(async () => {
    await run(
      sql`create function fault_raise() returns trigger language plpgsql as $$ begin raise exception 'injected fault'; end $$`,
    );
    await run(sql`create function fault_die() returns trigger language plpgsql as $$ begin
      perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return new; end $$`);
  });

  it.each(Object.keys(FAULTS) as (keyof typeof FAULTS)[])(
    '%s: 500, no effect, no record, and the key is free at once',
    async (fault) => {
      const { key } = await makeMerchant(api.runtime);
      const before = await records();
      const body = programBody();
      await run(FAULTS[fault]);
      // More often than the pool has connections: none may leak.
      const responses = [];
      for (let time = 0; time < 4; time++) responses.push(await post(key, 'k', '/programs', body));
      await run(sql`drop trigger if exists fault on program`);
      await run(sql`drop trigger if exists fault on idempotency_record`);
      expect(responses.map((response) => response.status)).toEqual([500, 500, 500, 500]);
      expect(responses[0]?.text).not.toMatch(/injected|trigger|terminat|connection/);
      expect([await records(), await programsOf(key)]).toEqual([before, 0]);
      const retried = await post(key, 'k', '/programs', body);
      expect(retried.status).toBe(201);
      expect(retried.headers['idempotency-replayed']).toBeUndefined();
    },
  );
});

describe('while a request with the same key is in progress', () => {
  /** Holds the reservation on another connection, as a request in another process would. */
  const whileHeld = async <T>(keyId: string, work: (release: () => void) => Promise<T>): Promise<T> => {
    const { id } = requestIdentity({ callerId: keyId, method: 'POST', path: '/programs', key: 'k', query: {}, body: {} });
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let taken = () => {};
    const isTaken = new Promise<void>((resolve) => (taken = resolve));
    const holding = inTransaction(api.runtime.context(system), async (ctx) => {
      await execute(
        ctx.em,
        sql`select pg_advisory_xact_lock(('x' || encode(substring(${id}::bytea from 1 for 8), 'hex'))::bit(64)::bigint)`,
      );
      taken();
      await released;
    });
    await isTaken;
    try {
      return await work(release);
    } finally {
      release();
      await holding;
    }
  };

  it('the second one waits and is then 409 IDEMPOTENCY_IN_PROGRESS, without Retry-After', async () => {
    const { key, keyId } = await makeMerchant(api.runtime);
    const response = await whileHeld(keyId, () => post(key, 'k', '/programs', programBody()));
    expect(response).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { reason: 'IDEMPOTENCY_IN_PROGRESS', retryAfterMs: expect.any(Number) } },
    });
    expect(response.headers['retry-after']).toBeUndefined();
    expect(await programsOf(key)).toBe(0);
    expect((await post(key, 'k', '/programs', programBody())).status).toBe(201);
  });

  it('the second one runs as soon as the first one has failed', async () => {
    const { key, keyId } = await makeMerchant(api.runtime);
    const response = await whileHeld(keyId, (release) => {
      void pause(300, 'the second one has begun to wait').then(release);
      return post(key, 'k', '/programs', programBody());
    });
    expect(response.status).toBe(201);
  });

  it('waiting holds no database connection: with a pool of three, other requests succeed', async () => {
    const { key, keyId } = await makeMerchant(api.runtime);
    const other = await makeMerchant(api.runtime);
    await whileHeld(keyId, async () => {
      let waiting = 12;
      const waits = Array.from({ length: waiting }, () => post(key, 'k', '/programs', programBody()).finally(() => waiting--));
      const list = async () => (await api.call('GET', '/programs', { key: other.key })).status;
      expect(await Promise.all([list(), list(), list(), list()])).toEqual([200, 200, 200, 200]);
      expect(waiting).toBe(12);
      for (const response of await Promise.all(waits)) expect(response.status).toBe(409);
    });
  });
});

describe('records', () => {
  const request = { callerId: 'a', method: 'POST', path: '/x', key: 'k', query: { a: '1' }, body: { b: 2 } };

  it('the query string is part of the request fingerprint', async () => {
    const ctx = api.runtime.context(system);
    await inTransaction(ctx, async (inner) => {
      expect(await reserveIdempotencyKey(inner, requestIdentity(request))).toBe('reserved');
      await storeResponse(inner, requestIdentity(request), { status: 201, body: 'x' }, false);
    });
    expect(await findStoredResponse(ctx, requestIdentity(request))).toEqual({ status: 201, body: 'x' });
    await expect(findStoredResponse(ctx, requestIdentity({ ...request, query: { a: '2' } }))).rejects.toThrow(AppError);
    expect(await findStoredResponse(ctx, requestIdentity({ ...request, path: '/y' }))).toBeNull();
  });

  it('records are deleted after 24 hours', async () => {
    await run(sql`update idempotency_record set created_at = now() - interval '23 hours'`);
    await run(
      sql`update idempotency_record set created_at = now() - interval '25 hours' where id = ${requestIdentity(request).id}`,
    );
    const before = await records();
    expect(await deleteExpiredIdempotencyRecords(api.runtime.context(system))).toBe(1);
    expect(await records()).toBe(before - 1);
  });
});
