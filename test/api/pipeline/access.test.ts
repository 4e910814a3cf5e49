import { API_PREFIX } from '../../../src/api/pipeline/operations.ts';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { KEY_TYPES, type KeyType, SCOPES_OF, type Scope } from '../../../src/contracts/scopes.ts';
import { generateApiKey } from '../../../src/domains/auth/api-key-format.rules.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { type Operation, scopeFor } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { callOperation, nameOf, operationOf, problemsOf, system } from './support.ts';

/*
 * One request for each way to be let in or refused. What each operation declares is in test/architecture/access.test.ts, and that its
 * rule is applied exactly in test/unit/pipeline/authorize.test.ts.
 */

const api = useTestApi();

const ANY_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff';

/** A key of a new owner. */
const makeCaller = async (keyType: KeyType, scopes: readonly Scope[] = SCOPES_OF[keyType]) => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const ownerId =
    keyType === 'affiliate' ? (await makeAffiliate(api.runtime, (await makeProgram(api, key)).programId)).profileId : merchantId;
  return makeKey(api.runtime, { ownerId, keyType, scopes: [...scopes] });
};

const spoiled = async (column: 'expires_at' | 'revoked_at'): Promise<string> => {
  const { keyId, key } = await makeCaller('merchant');
  const past = sql`update api_key set ${sql.ref(column)} = now() - interval '1 second' where id = ${keyId}::uuid`;
  await execute(api.runtime.context(system).em, past);
  return key;
};

/** `GET /programs` as `:id` of the router, from the tree that it prints. */
const mountedRoutes = (): string[] => {
  const above: string[] = [];
  return api.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((text) => {
      const [, indent = '', path = '', methods = ''] = /^([│ ]*)[├└]── (\S*) \((.*)\)$/.exec(text) ?? [];
      const depth = indent.length / 4;
      above.splice(depth, above.length, path);
      return methods.split(', ').map((method) => `${method} ${above.join('')}`);
    });
};

const DOCUMENT = `${API_PREFIX}/openapi.json`;

test('the routes below /api/v1 are the operations, HEAD of those that only read, and the document of the API', () => {
  const expected = OPERATIONS.flatMap((op) => {
    const path = API_PREFIX + op.path.replaceAll(/\{(\w+)\}/g, ':$1');
    return [`${op.method} ${path}`, ...(op.method === 'GET' && !op.audited ? [`HEAD ${path}`] : [])];
  });
  const mounted = mountedRoutes().filter((route) => route.includes(` ${API_PREFIX}`));
  expect(mounted.sort()).toEqual([...expected, `GET ${DOCUMENT}`, `HEAD ${DOCUMENT}`].sort());
});

/** A scope that few operations need. */
const GRANTED: Readonly<Record<KeyType, Scope>> = {
  merchant: 'invites:claim',
  affiliate: 'invites:claim',
  onboarding: 'programs:read',
};

test('no operation but the public ones answers without a key, or to a key without its scope', async () => {
  const callers = await Promise.all(
    KEY_TYPES.map(async (keyType) => ({ keyType, key: (await makeCaller(keyType, [GRANTED[keyType]])).key })),
  );
  const problems = await problemsOf(OPERATIONS, async (op) => {
    const { access } = op;
    if (access === 'public') return [];
    const found: string[] = [];
    const expectCode = async (key: string | undefined, code: string, who: string): Promise<void> => {
      const { status, error } = await callOperation(api, op, { id: ANY_ID, key });
      if (error?.code !== code) found.push(`${who}: ${status} ${error?.code} instead of ${code}`);
    };
    await expectCode(undefined, 'UNAUTHORIZED', 'no key');
    for (const { keyType, key } of callers) {
      if (!access.keys.includes(keyType)) await expectCode(key, 'FORBIDDEN', keyType);
      else if (![null, GRANTED[keyType]].some((scope) => scope === scopeFor(access, keyType)))
        await expectCode(key, 'INSUFFICIENT_SCOPE', keyType);
    }
    return found;
  });
  expect(problems).toEqual([]);
});

const REFUSED_KEYS: readonly [string, () => Promise<string | undefined>][] = [
  ['no key', async () => undefined],
  ['an empty key', async () => ''],
  ['a malformed key', async () => 'ak_live_nonsense'],
  ['an unknown key', async () => generateApiKey('merchant')],
  ['an expired key', () => spoiled('expires_at')],
  ['a revoked key', () => spoiled('revoked_at')],
  ['a key with one more character', async () => `${(await makeCaller('merchant')).key}x`],
];

test.each(REFUSED_KEYS)('%s is 401 for reads and writes', async (_name, make) => {
  const key = await make();
  for (const id of ['listPrograms', 'createProgram', 'deleteWebhookEndpoint']) {
    const response = await callOperation(api, operationOf(id), { id: ANY_ID, key });
    expect([id, response.status, response.error?.code]).toEqual([id, 401, 'UNAUTHORIZED']);
  }
});

test.each([
  ['merchant', 'listLinks', 'Affiliate'],
  ['affiliate', 'listPrograms', 'Merchant'],
  ['affiliate', 'createPayout', 'Merchant'],
  ['onboarding', 'listApiKeys', 'Merchant'],
  ['onboarding', 'updateProgram', 'Merchant'],
] as const)('a key of the type %s is 403 for %s', async (keyType, id, needed) => {
  const { key } = await makeCaller(keyType);
  expect(await callOperation(api, operationOf(id), { id: ANY_ID, key })).toMatchObject({
    status: 403,
    error: { code: 'FORBIDDEN', message: `${needed} key required` },
  });
});

/** A scope for all key types, one for each, a read that needs a scope of writes, and none. */
test.each([
  ['merchant', 'listPrograms', 'programs:read'],
  ['merchant', 'updateMerchant', 'merchant:manage'],
  ['onboarding', 'setUpMerchant', 'merchant:manage'],
  ['merchant', 'listApiKeys', 'merchant:manage'],
  ['affiliate', 'listApiKeys', 'profile:write'],
  ['merchant', 'listAuditLog', 'merchant:manage'],
  ['affiliate', 'listLinks', 'links:read'],
] as const)('a(n) %s key calls %s with exactly %s, and is 403 with all other scopes', async (keyType, id, required) => {
  const op = operationOf(id);
  const exactly = await makeCaller(keyType, [required]);
  expect((await callOperation(api, op, { key: exactly.key })).status).toBe(op.status);
  const granted = SCOPES_OF[keyType].filter((scope) => scope !== required);
  const others = await makeCaller(keyType, granted);
  expect(await callOperation(api, op, { key: others.key })).toMatchObject({
    status: 403,
    error: { code: 'INSUFFICIENT_SCOPE', details: { required, granted } },
  });
});

test.each(KEY_TYPES)('a(n) %s key with any scope may ask who it is', async (keyType) => {
  const [scope] = SCOPES_OF[keyType];
  const { key } = await makeCaller(keyType, scope ? [scope] : []);
  expect((await callOperation(api, operationOf('getMe'), { key })).status).toBe(200);
});

test.each(OPERATIONS.filter(({ access }) => access === 'public').map((op): [string, Operation] => [nameOf(op), op]))(
  '%s needs no key',
  async (_name, op) => {
    expect((await callOperation(api, op)).status).toBe(op.status);
  },
);
