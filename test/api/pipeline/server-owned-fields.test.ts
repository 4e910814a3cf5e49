import type { z } from 'zod';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { callOperation, makeOwner, makerOf, type OwnedObject, ownBody, ownerTypeOf, system, table, withBody } from './support.ts';

const api = useTestApi();

/** Fields that only the server sets. */
const ALWAYS = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  merchantId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e12',
  ownerId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e13',
  userId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e14',
  keyType: 'onboarding',
  createdAt: '2020-01-01T00:00:00.000Z',
  updatedAt: '2020-01-01T00:00:00.000Z',
  createdBy: null,
  revokedAt: null,
  status: 'completed',
  billingTier: 'pro',
  rateLimit: 1_000_000,
  version: 1,
};

/** Every field of the documented response, also inside `{endpoint, signingSecret}`. */
const responseFields = (data: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((data ?? {}) as object).flatMap(([name, value]) => [
      [name, value],
      ...(value && typeof value === 'object' && !Array.isArray(value) ? Object.entries(responseFields(value)) : []),
    ]),
  );

const settable = (op: Operation): Set<string> => new Set(Object.keys((op.body as z.ZodObject).shape));

const serverOwned = (op: Operation): [string, unknown][] =>
  Object.entries({ ...ALWAYS, ...responseFields(op.example.data) }).filter(([name]) => !settable(op).has(name));

const makeOwn = (op: Operation): Promise<OwnedObject | { id?: string; key: string }> =>
  op.path.includes('{id}') ? makerOf(op)(api) : makeOwner(api, ownerTypeOf(op));

let tables: string[];
beforeAll(async () => {
  const names = sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  tables = (await rows(api.runtime.context(system).em, names)).map(({ name }) => name);
});

/** The content of every table, without the time of a key's last use, which changes on its own. */
const everything = async (): Promise<Map<string, object>> => {
  const digests = tables.map(
    (name) => sql<{ name: string }>`select ${name}::text as name, count(*)::int as rows,
        md5(coalesce(string_agg((to_jsonb(t) - 'last_used_at')::text, '|' order by to_jsonb(t)::text), '')) as digest
      from ${sql.table(name)} t`,
  );
  const found = await rows(api.runtime.context(system).em, sql<{ name: string }>`${sql.join(digests, sql` union all `)}`);
  return new Map(found.map((digest) => [digest.name, digest]));
};

describe.each(table(withBody))('%s', (_name, op) => {
  it('rejects each server-owned field with 422 and changes nothing', async () => {
    const { id, key } = await makeOwn(op);
    const fields = serverOwned(op);
    expect(fields.map(([name]) => name)).toEqual(expect.arrayContaining(['id', 'merchantId', 'createdAt']));
    const before = await everything();
    for (const [name, value] of fields) {
      const body = { ...(op.example.body as object), [name]: value };
      const response = await callOperation(api, op, { id, key, body, headers: { 'idempotency-key': name } });
      expect({ name, response }).toMatchObject({
        name,
        response: {
          status: 422,
          error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: name, code: 'unrecognized_keys' }] } },
        },
      });
    }
    expect(await everything()).toEqual(before);
  });

  it('accepts the same body without them', async () => {
    const own = await makeOwn(op);
    const body = 'table' in own ? { body: ownBody(op, own) } : {};
    expect([200, 201, 404, 409]).toContain((await callOperation(api, op, { id: own.id, key: own.key, ...body })).status);
  });
});
