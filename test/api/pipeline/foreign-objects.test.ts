import { randomUUID } from 'node:crypto';
import { KEY_TYPES, type KeyType, SCOPES_OF } from '../../../src/contracts/scopes.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { callOperation, makerOf, operationOf, problemsOf, rowOf, sharedObjects, withId } from './support.ts';

const api = useTestApi();

const sharedObject = sharedObjects(api);

/** Keys of another merchant and another person, with every scope. */
const strangers = new Map<KeyType, string>();
beforeAll(async () => {
  for (const keyType of KEY_TYPES) {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const ownerId =
      keyType === 'affiliate'
        ? (await makeAffiliate(api.runtime, (await makeProgram(api, key)).programId)).profileId
        : merchantId;
    strangers.set(keyType, (await makeKey(api.runtime, { ownerId, keyType, scopes: [...SCOPES_OF[keyType]] })).key);
  }
});

const acceptedBy = ({ access }: Operation): KeyType[] =>
  access === 'public' ? [] : KEY_TYPES.filter((keyType) => access.keys.includes(keyType));

test('every operation that reads accepts the owner; statements.test.ts has those that write', async () => {
  const problems = await problemsOf(
    withId.filter(({ method }) => method === 'GET'),
    async (op) => {
      const own = await sharedObject(op);
      const { status, text } = await callOperation(api, op, { id: own.id, key: own.key, own });
      // A file is made of a payout run that was confirmed only.
      return status === 200 || status === 409 ? [] : [`${status} ${text}`];
    },
  );
  expect(problems).toEqual([]);
});

test('an object that does not exist is 404 for every operation and key type', async () => {
  const problems = await problemsOf(withId, async (op) => {
    const found: string[] = [];
    for (const keyType of acceptedBy(op)) {
      const { status, error } = await callOperation(api, op, { key: strangers.get(keyType) });
      if (status !== 404 || error?.code !== 'NOT_FOUND') found.push(`${keyType} key: ${status} ${error?.code}`);
    }
    return found;
  });
  expect(problems).toEqual([]);
});

test("another tenant's object is 403 for every operation and key type, which reveals nothing of it and does not change it", async () => {
  let tried = 0;
  const problems = await problemsOf(withId, async (op) => {
    const theirs = await sharedObject(op);
    const before = await rowOf(api.runtime, theirs);
    expect(before).toMatchObject({ id: theirs.id });
    const found: string[] = [];
    for (const keyType of acceptedBy(op)) {
      tried += 1;
      const { status, data, error } = await callOperation(api, op, { id: theirs.id, key: strangers.get(keyType) });
      const isRefused = status === 403 && error?.code === 'FORBIDDEN' && data === undefined && error.details === undefined;
      if (!isRefused) found.push(`${keyType} key: ${status} ${JSON.stringify(data ?? error)}`);
    }
    expect(await rowOf(api.runtime, theirs)).toEqual(before);
    return found;
  });
  expect(problems).toEqual([]);
  expect(tried).toBeGreaterThan(withId.length);
});

test('an id in upper case names the same object, and one that is no UUID is 400', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const get = async (id: string) => callOperation(api, operationOf('getProgram'), { id, key });
  expect((await get(programId.toUpperCase())).data.id).toBe(programId);
  for (const id of ['1', `${programId}0`, '%00', "'", '..%2F..']) {
    expect(await get(id)).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  }
});

const OBJECTS_IN_BODIES = [
  ['absent', 404, 'NOT_FOUND'],
  ['foreign', 403, 'FORBIDDEN'],
] as const;

test.each(OBJECTS_IN_BODIES)('an %s program or affiliate is %i wherever a body may name it', async (which, status, code) => {
  const webhook = { name: 'Orders', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.completed'] };
  const own = await makerOf(operationOf('getWebhookEndpoint'))(api);
  const theirs = await makerOf(operationOf('getAffiliate'))(api);
  const program = await api.call('GET', '/programs', { key: theirs.key });
  const programId = which === 'absent' ? randomUUID() : program.data[0].id;
  const affiliateId = which === 'absent' ? randomUUID() : theirs.id;
  const ownProgram = await makeProgram(api, own.key);
  const before = await rowOf(api.runtime, own);
  const responses = [
    await api.call('POST', '/webhooks', { key: own.key, body: { ...webhook, programId } }),
    await api.call('PATCH', `/webhooks/${own.id}`, { key: own.key, body: { programId } }),
    await api.call('POST', '/payouts', { key: own.key, body: { programId, affiliateId } }),
    await api.call('POST', `/programs/${ownProgram.programId}/coupons`, { key: own.key, body: { affiliateId, code: 'ADA20' } }),
  ];
  for (const response of responses) expect(response).toMatchObject({ status, error: { code } });
  expect(await rowOf(api.runtime, own)).toEqual(before);
  expect((await api.call('GET', '/webhooks', { key: own.key })).data).toHaveLength(1);
});
