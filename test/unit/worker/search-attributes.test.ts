import { SEARCH_ATTRIBUTES } from '../../../src/contracts/workflows/descriptor.ts';
import type { Logger } from '../../../src/platform/logger.ts';
import { ensureSearchAttributes, removeRetiredSearchAttributes } from '../../../src/temporal/search-attributes.ts';

const KEYWORD = 2;
const BOOL = 5;

const grpcError = (code: number): Error => Object.assign(new Error('from the server'), { code, details: '', metadata: {} });

/** A Temporal server with the given search attributes; `fail` is thrown by every call. */
const fakeServer = (attributes: Record<string, number>, fail?: Error) => {
  const added: string[][] = [];
  const operatorService = {
    async listSearchAttributes() {
      if (fail) throw fail;
      return { customAttributes: attributes };
    },
    async addSearchAttributes({ searchAttributes }: { searchAttributes: Record<string, number> }) {
      added.push(Object.keys(searchAttributes));
      Object.assign(attributes, searchAttributes);
    },
    async removeSearchAttributes({ searchAttributes }: { searchAttributes: string[] }) {
      for (const name of searchAttributes) delete attributes[name];
    },
  };
  const connection = { operatorService, withDeadline: (_deadline: number, call: () => unknown) => call() };
  const temporal = { client: { options: { namespace: 'default' }, connection }, connection } as unknown as Parameters<
    typeof ensureSearchAttributes
  >[0];
  const logged: string[] = [];
  const record = (_fields: object, message: string): void => void logged.push(message);
  const log = { info: record, warn: record, error: record } as unknown as Logger;
  return {
    ensure: () => ensureSearchAttributes(temporal, log),
    remove: () => removeRetiredSearchAttributes(temporal),
    added,
    logged,
  };
};

test('missing search attributes are added once, existing ones are left alone', async () => {
  const { ensure, added } = fakeServer({ MerchantId: KEYWORD, NeedsAttention: BOOL });
  await ensure();
  await ensure();
  const missing = Object.keys(SEARCH_ATTRIBUTES).filter((name) => name !== 'MerchantId' && name !== 'NeedsAttention');
  expect(added).toEqual([missing]);
});

test('attributes of an earlier version are removed by an operator only', async () => {
  const attributes = { FailureCode: KEYWORD, Foreign: KEYWORD };
  const { ensure, remove, logged } = fakeServer(attributes);
  await ensure();
  expect(logged[0]).toContain('run `admin search-attributes`');
  expect(attributes).toHaveProperty('FailureCode');
  expect(await remove()).toEqual(['FailureCode']);
  expect(await remove()).toEqual([]);
  expect(attributes).toHaveProperty('Foreign');
});

test('an attribute of another type is logged and not changed', async () => {
  const { ensure, added, logged } = fakeServer({ MerchantId: BOOL });
  await ensure();
  expect(logged).toContain('search attribute has another type');
  expect(added.flat()).not.toContain('MerchantId');
});

test.each([
  ['permission denied', 7],
  ['unimplemented', 12],
])('a server that answers %s is logged, not an error', async (_name, code) => {
  const { ensure, logged } = fakeServer({}, grpcError(code));
  await ensure();
  expect(logged).toEqual([expect.stringContaining('create them on the server')]);
});

test('an unavailable server is an error, so that the caller tries again', async () => {
  await expect(fakeServer({}, grpcError(14)).ensure()).rejects.toThrow('from the server');
});
