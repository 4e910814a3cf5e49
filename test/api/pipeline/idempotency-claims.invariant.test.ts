import { z } from 'zod';
import { prepareOperation } from '../../../src/api/pipeline/prepare-operation.ts';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { operation } from '../../../src/platform/http/operation.ts';
import { type RequestIdentity, requestIdentity } from '../../../src/platform/idempotency/idempotency.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { until } from '../../support/until.ts';
import { makeManualRun, resultsOf } from '../payout-runs/by-hand.ts';
import { ownerTypeOf, system } from './support.ts';

/** One place for claims, and connections for the work and for others. */
const api = useOwnApi({ DATABASE_POOL: '4' }, { asOwner: true });

const contextOf = () => api.runtime.context(system);

const post = (key: string, idempotencyKey: string, path: string, body?: unknown) =>
  api.call('POST', path, { key, headers: { 'idempotency-key': idempotencyKey }, ...(body === undefined ? {} : { body }) });

const claim = ({ id, fingerprint }: RequestIdentity, ageHours = 0) =>
  execute(
    contextOf().em,
    sql`insert into idempotency_record (id, fingerprint, encrypted, created_at)
      values (${id}, ${fingerprint}, false, now() - make_interval(hours => ${ageHours}))`,
  );

const recordOf = ({ id }: RequestIdentity) =>
  firstRow(
    contextOf().em,
    sql<{ status: number | null; body: string | null }>`select status, body from idempotency_record where id = ${id}`,
  );

/** As a request in another process that has claimed the key and works. */
const whileWorking = async <T>(identity: RequestIdentity, work: () => Promise<T>): Promise<T> => {
  await claim(identity);
  return inTransaction(contextOf(), async ({ em }) => {
    await execute(em, sql`select lock_idempotency_key(${identity.id})`);
    return work();
  });
};

/** A run with three payouts that are processing, and a request to mark the first as paid. */
const makeRequest = async () => {
  const run = await makeManualRun(api, 3);
  await run.act('process');
  const template = `/payout-runs/${run.runId}/complete`;
  const bodies = run.payoutIds.map((id) => ({ payoutIds: [id] }));
  const [body, other] = bodies;
  const identity = requestIdentity({ callerId: run.keyId, method: 'POST', path: template, key: 'k', query: {}, body });
  const send = (given: unknown = body) => post(run.key, 'k', template, given);
  return { ...run, bodies, body, other, identity, send };
};

test('several bodies under one key at once: one has its effect, and the others have none', async () => {
  const { bodies, send, statuses } = await makeRequest();
  const answers = await Promise.all([...bodies, { payoutIds: [MISSING_ID] }].map((body) => send(body)));
  const codes = answers.map(({ status, error }) => error?.code ?? status).sort();
  expect(codes).toEqual([200, ...Array(3).fill('IDEMPOTENCY_KEY_REUSED')]);
  const done = answers.find(({ status }) => status === 200)?.data.done;
  expect((await statuses()).filter((status) => status === 'completed')).toHaveLength(done);
  expect(done).toBeLessThanOrEqual(1);
});

test('the same body at once has its effect once, and both get the same response', async () => {
  const { send, statuses } = await makeRequest();
  const [first, second] = await Promise.all([send(), send()]);
  expect([first.status, second.status, second.text === first.text]).toEqual([200, 200, true]);
  expect((await statuses()).toSorted()).toEqual(['completed', 'processing', 'processing']);
});

test('while its lock is held, the same request is in progress and another one has used the key; neither does anything', async () => {
  const { identity, send, other, statuses } = await makeRequest();
  await whileWorking(identity, async () => {
    const [same, another] = await Promise.all([send(), send(other)]);
    expect(same).toMatchObject({ status: 409, error: { details: { reason: 'IDEMPOTENCY_IN_PROGRESS' } } });
    expect(another.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await statuses()).toEqual(['processing', 'processing', 'processing']);
  });
});

test('after a crash the same request takes over and goes on, and another one is refused still', async () => {
  const { identity, send, other, statuses } = await makeRequest();
  await claim(identity);
  expect((await send(other)).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await statuses()).toEqual(['processing', 'processing', 'processing']);
  const taken = await send();
  expect([taken.status, resultsOf(taken.data)]).toEqual([200, ['done']]);
  expect(await recordOf(identity)).toEqual({ status: 200, body: taken.text });
  expect((await send()).text).toBe(taken.text);
});

test('a claim that has expired holds nobody up', async () => {
  const { identity, send, other } = await makeRequest();
  await claim(identity, 25);
  expect((await send(other)).status).toBe(200);
});

test('an invalid request frees its key, a decided error is its response', async () => {
  const { key, keyId, runId } = await makeManualRun(api, 1);
  const path = `/payout-runs/${runId}/results`;
  expect((await post(key, 'r', path, { csv: 'no header' })).status).toBe(422);
  const identity = requestIdentity({ callerId: keyId, method: 'POST', path, key: 'r', query: {}, body: {} });
  expect(await recordOf(identity)).toBeNull();
  const missing = () => post(key, 'm', `/payout-runs/${MISSING_ID}/process`);
  const first = await missing();
  expect([first.status, (await missing()).headers['idempotency-replayed']]).toEqual([404, 'true']);
});

test('a response about a part is not stored: the same request goes on, and another one has used the key', async () => {
  const { keyId } = await makeMerchant(api.runtime);
  const left = [2, 1, 0];
  const op = operation({
    id: 'countDown',
    method: 'POST',
    path: '/count-down',
    tag: 'Test',
    summary: 'Count down',
    access: { keys: ['merchant'], scope: 'any' },
    body: z.strictObject({ from: z.int() }),
    reply: z.object({ remaining: z.int() }),
    isPartial: ({ remaining }) => remaining > 0,
    example: { data: { remaining: 0 } },
    prepare: async () => left.shift() ?? -1,
    commits: true,
    handle: async ({ prepared: remaining }) => ({ remaining }),
  });
  const send = async (from: number) => {
    const sent = { params: {}, query: {}, body: { from }, idempotencyKey: 'k' };
    const { body, isReplayed } = await prepareOperation(op)(sent, { context: contextOf, callerId: keyId, requestId: unique() });
    return [JSON.parse(body).data.remaining, isReplayed];
  };
  expect(await send(2)).toEqual([2, false]);
  await expect(send(3)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  expect([await send(2), await send(2), await send(2)]).toEqual([
    [1, false],
    [0, false],
    [0, true],
  ]);
});

test('waiting for a place or for the same key takes no connection from others', async () => {
  const { identity, send, key } = await makeRequest();
  await whileWorking(identity, async () => {
    let waiting = 6;
    const waits = Array.from({ length: waiting }, () => send().finally(() => waiting--));
    expect((await api.call('GET', '/payout-runs', { key })).status).toBe(200);
    const reasons = (await Promise.all(waits)).map(({ error }) => error.details.reason);
    expect(reasons.filter((reason) => reason !== 'IDEMPOTENCY_IN_PROGRESS' && reason !== 'BUSY')).toEqual([]);
  });
  await until('the work goes on', send, ({ status }) => status === 200);
});

const makePerson = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  return { key: await makeAffiliateKey(api.runtime, profileId), keyId: await keyIdOf(profileId) };
};

const keyIdOf = async (ownerId: string): Promise<string> => {
  const key = await firstRow(contextOf().em, sql<{ id: string }>`select id from api_key where owner_id = ${ownerId}`);
  if (!key) throw new Error('no key');
  return key.id;
};

describe('every operation that has effects before its transaction claims its key first', () => {
  const prepared = OPERATIONS.filter(({ prepare }) => prepare !== undefined);

  it('what only reads before it is known', () => {
    const reads = prepared.filter(({ commits }) => !commits).map(({ id }) => id);
    expect(reads.sort()).toEqual([
      'checkRailAccount',
      'createWebhookEndpoint',
      'listStripeConnections',
      'updateWebhookEndpoint',
      'verifyPortalDomain',
    ]);
  });

  const claiming = prepared.filter(({ method, commits, access }) => method === 'POST' && commits && access !== 'public');

  it.each(claiming.map((op) => [op.id, op] as const))('%s', async (_id, op) => {
    const { key, keyId } = await (ownerTypeOf(op) === 'affiliate' ? makePerson() : makeMerchant(api.runtime));
    const path = op.path.replace('{id}', MISSING_ID);
    const sent = op.example.body;
    const other = { callerId: keyId, method: 'POST', path, key: 'k', query: {}, body: { another: unique() } };
    await claim(requestIdentity(other));
    const reused = await post(key, 'k', path, sent);
    expect([reused.status, reused.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    const held = requestIdentity({ ...other, key: 'h', body: sent ?? {} });
    await whileWorking(held, async () => {
      expect((await post(key, 'h', path, sent)).error.details.reason).toBe('IDEMPOTENCY_IN_PROGRESS');
    });
  });
});
