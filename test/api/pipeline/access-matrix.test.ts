import { randomUUID } from 'node:crypto';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { KEY_TYPES, type KeyType, SCOPES_OF, type Scope } from '../../../src/contracts/scopes.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import {
  callOperation,
  makerOf,
  nameOf,
  type OwnedObject,
  ownBody,
  passes,
  rowOf,
  scopeOf,
  system,
  table,
  withId,
} from './support.ts';

const api = useTestApi();
let programId: string;
beforeAll(async () => {
  ({ programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key));
});

const keyed = OPERATIONS.filter((op) => op.access !== 'public');
const accepts = (op: Operation, keyType: KeyType): boolean => op.access !== 'public' && op.access.keys.includes(keyType);

/** A key whose owner has no data; the owner of merchant and onboarding keys is a merchant. */
const generateApiKey = async (keyType: KeyType, scopes?: Scope[]): Promise<{ keyId: string; key: string }> => {
  // A new person for each key: an owner has a limited number of keys.
  const ownerId =
    keyType === 'affiliate'
      ? (await makeAffiliate(api.runtime, programId)).profileId
      : (await makeMerchant(api.runtime)).merchantId;
  return makeKey(api.runtime, { ownerId, keyType, ...(scopes ? { scopes } : {}) });
};

/** Makes what each name stands for when it is first needed. */
const makeOnce = <Made>() => {
  const made = new Map<unknown, Promise<Made>>();
  return (name: unknown, make: () => Promise<Made>): Promise<Made> => {
    const found = made.get(name) ?? make();
    made.set(name, found);
    return found;
  };
};
const keys = makeOnce<{ key: string }>();
const deadKeys = makeOnce<{ expired: string; revoked: string }>();
const objects = makeOnce<OwnedObject>();

/** For requests that are rejected: they change nothing, so they share keys. */
const sharedKey = async (keyType: KeyType, scopes?: Scope[]): Promise<string> =>
  (await keys(`${keyType} ${scopes?.join(' ')}`, () => generateApiKey(keyType, scopes))).key;

/** What is only read does not change either: a key of its own is for requests that write. */
const keyFor = async (op: Operation, keyType: KeyType, scopes?: Scope[]): Promise<string> =>
  op.method === 'GET' ? sharedKey(keyType, scopes) : (await generateApiKey(keyType, scopes)).key;

/** An object of a tenant. Others who try to reach it must not change it, nor do those who read it, so they share it. */
const sharedObject = (op: Operation): Promise<OwnedObject> => {
  const make = makerOf(op);
  return objects(make, () => make(api));
};

const makeDeadKeys = async (keyType: KeyType): Promise<{ expired: string; revoked: string }> => {
  const [expired, revoked] = [await generateApiKey(keyType), await generateApiKey(keyType)];
  const { em } = api.runtime.context(system);
  await execute(em, sql`update api_key set expires_at = now() - interval '1 second' where id = ${expired.keyId}::uuid`);
  await execute(em, sql`update api_key set revoked_at = now() where id = ${revoked.keyId}::uuid`);
  return { expired: expired.key, revoked: revoked.key };
};

describe('without a valid key', () => {
  it.each(table(keyed))('%s is 401 without a key', async (_name, op) => {
    expect(await callOperation(api, op)).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  });

  it.each(table(keyed))('%s is 401 with an expired, a revoked or an unknown key', async (_name, op) => {
    const [keyType] = op.access === 'public' ? ['merchant' as const] : op.access.keys;
    const { expired, revoked } = await deadKeys(keyType, () => makeDeadKeys(keyType));
    for (const key of [expired, revoked, 'ak_live_nonsense', '', `${revoked}x`]) {
      expect(await callOperation(api, op, { key })).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
    }
  });

  it.each(table(OPERATIONS.filter((op) => op.access === 'public')))('%s needs no key', async (_name, op) => {
    expect(await callOperation(api, op)).toMatchObject({ status: op.status });
  });
});

describe('key types', () => {
  it.each(table(keyed))('%s accepts the key types that it declares, and is 403 for the others', async (_name, op) => {
    for (const keyType of KEY_TYPES) {
      if (accepts(op, keyType)) {
        const response = await callOperation(api, op, { key: await keyFor(op, keyType) });
        expect({ keyType, passed: passes(response) }).toEqual({ keyType, passed: true });
      } else {
        const response = await callOperation(api, op, { key: await sharedKey(keyType) });
        expect({ keyType, ...response }).toMatchObject({
          keyType,
          status: 403,
          error: { code: 'FORBIDDEN', message: expect.stringMatching(/key required$/) },
        });
      }
    }
  });
});

/** The scopes of the specification, for comparison with what the operations declare. */
const SCOPES_BY_PATH: [RegExp, read: Scope, write: Scope][] = [
  [/marketing-resources/, 'marketing_resources:read', 'marketing_resources:write'],
  [/^\/flags/, 'flags:read', 'flags:write'],
  [/\/stats$/, 'stats:read', 'stats:read'],
  [/\/adjustments(\/|$)/, 'payouts:read', 'payouts:write'],
  [/^\/(programs\/{id}\/)?affiliates/, 'affiliates:read', 'affiliates:manage'],
  [/^\/applications/, 'affiliates:read', 'affiliates:manage'],
  [/^\/embed-tokens/, 'affiliates:read', 'affiliates:manage'],
  [/^\/billing/, 'billing:read', 'billing:write'],
  [/^\/onboarding/, 'merchant:read', 'merchant:manage'],
  [/^\/auth\//, 'merchant:manage', 'merchant:manage'],
  [/^\/invites\/{token}$/, 'invites:claim', 'affiliates:manage'],
  [/^\/invites/, 'invites:claim', 'invites:claim'],
  [/^\/programs\/{id}\/invites/, 'affiliates:read', 'affiliates:manage'],
  [/^\/(programs\/{id}\/)?coupons/, 'programs:read', 'programs:write'],
  [/^\/conversions/, 'conversions:read', 'conversions:read'],
  [/^\/merchant/, 'merchant:read', 'merchant:manage'],
  [/^\/audit-log/, 'merchant:manage', 'merchant:manage'],
  [/^\/(payouts|payout-runs|ledger)/, 'payouts:read', 'payouts:write'],
  [/^\/programs/, 'programs:read', 'programs:write'],
  [/^\/sales/, 'conversions:read', 'affiliates:manage'],
  [/^\/event/, 'webhooks:read', 'webhooks:write'],
  [/^\/webhooks\/{id}\/settings/, 'webhooks:write', 'webhooks:write'],
  [/^\/webhook/, 'webhooks:read', 'webhooks:write'],
];

describe('scopes', () => {
  it.each(table(keyed.filter((op) => accepts(op, 'merchant'))))('%s requires the scope of its resource', (_name, op) => {
    const [, read, write] = SCOPES_BY_PATH.find(([path]) => path.test(op.path)) ?? [];
    const required = scopeOf(op, 'merchant');
    expect(required).toBe(op.path === '/me' ? null : op.method === 'GET' && !op.audited ? read : write);
  });

  const pairs = keyed.flatMap((op) =>
    KEY_TYPES.filter((keyType) => accepts(op, keyType)).map((keyType): [string, KeyType, Operation] => [nameOf(op), keyType, op]),
  );

  it.each(pairs)('%s accepts a(n) %s key with exactly the declared scope', async (_name, keyType, op) => {
    const scopes = [scopeOf(op, keyType) ?? SCOPES_OF[keyType][0]].filter((scope) => scope !== undefined);
    const response = await callOperation(api, op, { key: await keyFor(op, keyType, scopes) });
    expect({ ...response, passed: passes(response) }).toMatchObject({ passed: true });
  });

  it.each(pairs.filter(([, keyType, op]) => scopeOf(op, keyType) !== null))(
    '%s is 403 for a(n) %s key with every scope but the declared one',
    async (_name, keyType, op) => {
      const required = scopeOf(op, keyType);
      const granted = SCOPES_OF[keyType].filter((scope) => scope !== required);
      const response = await callOperation(api, op, { key: await sharedKey(keyType, [...granted]) });
      expect(response).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE', details: { required, granted } } });
    },
  );
});

describe('objects named in the path', () => {
  const pairs = withId.flatMap((op) =>
    KEY_TYPES.filter((keyType) => accepts(op, keyType)).map((keyType): [string, KeyType, Operation] => [nameOf(op), keyType, op]),
  );

  it.each(table(withId))('%s has a maker for the object in its path', (_name, op) => {
    expect(makerOf(op)).toBeInstanceOf(Function);
  });

  it.each(table(withId))('%s accepts the owner', async (_name, op) => {
    const own = op.method === 'GET' ? await sharedObject(op) : await makerOf(op)(api);
    const response = await callOperation(api, op, { id: own.id, key: own.key, own, body: ownBody(op, own) });
    expect([200, 201, 409]).toContain(response.status);
  });

  it.each(pairs)('%s is 404 for a(n) %s key when the object does not exist', async (_name, keyType, op) => {
    const key = await sharedKey(keyType);
    expect(await callOperation(api, op, { key })).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  it.each(pairs)(
    "%s is 403 for a(n) %s key on another tenant's object, reveals nothing about it and does not change it",
    async (_name, keyType, op) => {
      const theirs = await sharedObject(op);
      const before = await rowOf(api.runtime, theirs);
      expect(before).toMatchObject({ id: theirs.id });
      const response = await callOperation(api, op, { id: theirs.id, key: await sharedKey(keyType) });
      expect(response).toMatchObject({ status: 403, data: undefined, error: { code: 'FORBIDDEN' } });
      expect(response.error.details).toBeUndefined();
      expect(await rowOf(api.runtime, theirs)).toEqual(before);
    },
  );

  it.each(pairs)(
    '%s accepts a UUID in upper case from a(n) %s key, and is 400 for an id that is no UUID',
    async (_name, keyType, op) => {
      const theirs = await sharedObject(op);
      const key = await sharedKey(keyType);
      expect((await callOperation(api, op, { id: theirs.id.toUpperCase(), key })).status).toBe(403);
      for (const id of ['1', `${theirs.id}0`, '%00', "'", '..%2F..']) {
        expect(await callOperation(api, op, { id, key })).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
      }
    },
  );
});

describe('objects named in the body', () => {
  const body = { name: 'Orders', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.completed'] };

  it.each([
    ['absent', 404, 'NOT_FOUND'],
    ['foreign', 403, 'FORBIDDEN'],
  ])('an %s program or affiliate is %i wherever a body may name it', async (which, status, code) => {
    const own = await makerOf(OPERATIONS.find((op) => op.path === '/webhooks/{id}') as Operation)(api);
    const theirs = await makerOf(OPERATIONS.find((op) => op.path === '/affiliates/{id}') as Operation)(api);
    const program = await api.call('GET', '/programs', { key: theirs.key });
    const programId = which === 'absent' ? randomUUID() : program.data[0].id;
    const affiliateId = which === 'absent' ? randomUUID() : theirs.id;
    const ownProgram = await makeProgram(api, own.key);
    const before = await rowOf(api.runtime, own);
    const responses = [
      await api.call('POST', '/webhooks', { key: own.key, body: { ...body, programId } }),
      await api.call('PATCH', `/webhooks/${own.id}`, { key: own.key, body: { programId } }),
      await api.call('POST', '/payouts', { key: own.key, body: { programId, affiliateId } }),
      await api.call('POST', `/programs/${ownProgram.programId}/coupons`, { key: own.key, body: { affiliateId, code: 'ADA20' } }),
    ];
    for (const response of responses) expect(response).toMatchObject({ status, error: { code } });
    expect(await rowOf(api.runtime, own)).toEqual(before);
    expect((await api.call('GET', '/webhooks', { key: own.key })).data).toHaveLength(1);
  });
});
