import { randomUUID } from 'node:crypto';
import { type CallBy, callOperation, mayCall, type OperationId } from '../../../src/api/pipeline/call-operation.ts';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { SCOPES_OF } from '../../../src/contracts/scopes.ts';
import type { Actor } from '../../../src/platform/context.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callOperation as request } from './support.ts';

const api = useTestApi();

type KeyActor = Extract<Actor, { kind: 'key' }>;

const by = (actor: Actor): CallBy => {
  const { runtime } = api;
  return { actor, origin: { address: '127.0.0.1', requestId: 'req_test' }, log: runtime.log, requestId: 'req_test', runtime };
};

const makeActor = async (scopes: KeyActor['scopes'] = SCOPES_OF.merchant): Promise<{ actor: KeyActor; key: string }> => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: [...scopes] as never });
  return { actor: { kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes }, key };
};

const programBody = () => ({ name: `Program ${unique()}`, commissionType: 'recurring', commissionPercent: 20 }) as const;

test('a list is what a request gets, with its total', async () => {
  const { actor, key } = await makeActor();
  await makeProgram(api, key);
  const called = await callOperation('listPrograms', { query: { limit: '5' } }, by(actor));
  const requested = await api.call('GET', '/programs', { key, query: { limit: '5' } });
  expect(requested.data).toHaveLength(1);
  expect(called).toEqual({ status: 200, data: requested.data, meta: { ...requested.meta, requestId: 'req_test' } });
});

test('a call and a request with one idempotency key have one effect', async () => {
  const { actor, key } = await makeActor();
  const body = programBody();
  const called = await callOperation('createProgram', { body, idempotencyKey: 'one' }, by(actor));
  expect(called).toMatchObject({ status: 201, data: { name: body.name } });
  const requested = await api.call('POST', '/programs', { key, body, headers: { 'idempotency-key': 'one' } });
  expect(requested.headers['idempotency-replayed']).toBe('true');
  expect(requested.data).toEqual('data' in called && called.data);
  expect(await callOperation('createProgram', { body, idempotencyKey: 'one' }, by(actor))).toEqual(called);
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(1);
});

test('another body under the same idempotency key is refused', async () => {
  const { actor } = await makeActor();
  await callOperation('createProgram', { body: programBody(), idempotencyKey: 'one' }, by(actor));
  const again = await callOperation('createProgram', { body: programBody(), idempotencyKey: 'one' }, by(actor));
  expect(again).toMatchObject({ status: 409, error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
});

test('an invalid body is told by field, in the words of the API', async () => {
  const { actor, key } = await makeActor();
  const body = { name: '', commissionPercent: 200 };
  const called = await callOperation('createProgram', { body: body as never }, by(actor));
  const requested = await api.call('POST', '/programs', { key, body });
  expect(requested.error.details.issues.length).toBeGreaterThan(2);
  expect(called).toEqual({ status: 422, error: requested.error });
});

test('what a failed call wrote is rolled back, and its error is stored', async () => {
  const { actor, key } = await makeActor();
  const input = { params: { id: randomUUID() }, idempotencyKey: 'one' };
  const called = await callOperation('retryPayout', input, by(actor));
  expect(called).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  const path = `/payouts/${input.params.id}/retry`;
  const requested = await api.call('POST', path, { key, body: {}, headers: { 'idempotency-key': 'one' } });
  expect(requested).toMatchObject({ status: 404, error: 'error' in called && called.error });
  expect(requested.headers['idempotency-replayed']).toBe('true');
});

test('an object of another merchant is refused', async () => {
  const [own, other] = [await makeActor(), await makeActor()];
  const { programId } = await makeProgram(api, other.key);
  const called = await callOperation('getProgram', { params: { id: programId } }, by(own.actor));
  expect(called).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});

test('the access rule of every operation applies to calls as to requests', async () => {
  const { actor, key } = await makeActor(['merchant:read']);
  const wrong: string[] = [];
  for (const operation of OPERATIONS as readonly (Operation & { id: OperationId })[]) {
    if (operation.access === 'public') continue;
    const anonymous = await callOperation(operation.id, {} as never, by({ kind: 'anonymous' }));
    if (anonymous.status !== 401) wrong.push(`${operation.id} is ${anonymous.status} for nobody`);
    if (mayCall(operation.id, actor)) continue;
    const called = await callOperation(operation.id, {} as never, by(actor));
    const requested = await request(api, operation, { key });
    if (!('error' in called) || JSON.stringify(called.error) !== JSON.stringify(requested.error)) wrong.push(operation.id);
  }
  expect(wrong).toEqual([]);
  const allowed = OPERATIONS.filter(({ id }) => mayCall(id as OperationId, actor)).map(({ id }) => id);
  expect(allowed).toContain('getMerchant');
  expect(allowed).not.toContain('updateMerchant');
});

test('a fault is thrown', async () => {
  const { actor } = await makeActor();
  const context = (): never => {
    throw new Error('broken');
  };
  await expect(callOperation('listPrograms', {}, { ...by(actor), runtime: { context } })).rejects.toThrow('broken');
});
