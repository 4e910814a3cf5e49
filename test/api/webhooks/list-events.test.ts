import { randomUUID } from 'node:crypto';
import {
  ALL_EVENT_TYPES,
  type DomainEvent,
  EVENT_TYPES,
  type EventType,
  EXTENDED_EVENT_TYPES,
} from '../../../src/contracts/events.ts';
import type { Scope } from '../../../src/contracts/scopes.ts';
import { fanOutEvents } from '../../../src/domains/webhooks/index.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { type Context, emit, inTransaction } from '../../../src/platform/context.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { until } from '../../support/until.ts';
import { addEndpoint, makeEndpoint } from './support.ts';

const api = useOwnApi();

interface Owner {
  merchantId: string;
  key: string;
}

const list = (key: string, query: Record<string, string> = {}) => api.call('GET', '/events', { key, query });
const context = (): Context => api.runtime.context({ kind: 'system', name: 'test' });
const eventOf = ({ merchantId }: Owner, name: string, type: EventType = 'program.created') =>
  // A payload that the types forbid.
  ({ type, merchantId, programId: null, data: { id: randomUUID(), affiliateId: randomUUID(), name } }) as unknown as DomainEvent;
const record = (owner: Owner, name: string, type?: EventType, ctx = context()) =>
  inTransaction(ctx, (inner) => emit(inner, eventOf(owner, name, type)));
const namesOf = (response: { data: { data: { name: string } }[] }): string[] => response.data.map(({ data }) => data.name);

/** Other tests share the server: their open transactions delay what is listed. */
const listed = (key: string, count: number, query: Record<string, string> = {}) =>
  until(
    `${count} events are listed`,
    () => list(key, query),
    ({ data }) => data.length >= count,
  );

/** Follows the cursor to the end. */
const follow = async (key: string, query: Record<string, string>, after?: string) => {
  const names: string[] = [];
  let cursor = after;
  for (;;) {
    const page = await list(key, { ...query, ...(cursor === undefined ? {} : { after: cursor }) });
    expect(page.status).toBe(200);
    names.push(...namesOf(page));
    cursor = page.meta.nextCursor;
    if (!page.meta.hasMore) return { names, cursor };
  }
};

/** A transaction that is open until `commit`. */
const openTransaction = async (work: (ctx: Context) => Promise<unknown>) => {
  const started = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = inTransaction(context(), async (ctx) => {
    await work(ctx);
    started.resolve();
    await end.promise;
  });
  await Promise.race([started.promise, done]);
  return {
    commit: async () => {
      end.resolve();
      await done;
    },
  };
};

describe('what is listed', () => {
  it('each event is what its webhooks carry, byte for byte, oldest first; those of tests are left out', async () => {
    const { key, merchantId, id } = await makeEndpoint(api);
    await makeProgram(api, key);
    await api.call('POST', `/webhooks/${id}/test`, { key });
    await makeProgram(api, key);
    const { text, data, meta } = await listed(key, 2);
    const stored = await rowsOf(
      api,
      `select convert_from(body, 'UTF8') as body from webhook_event where merchant_id = ? and not test order by position`,
      [merchantId],
    );
    expect(text.startsWith(`{"data":[${stored.map(({ body }) => body).join(',')}],"meta":{`)).toBe(true);
    expect(data.map(({ type }: { type: string }) => type)).toEqual(['program.created', 'program.created']);
    expect(meta).toEqual({ hasMore: false, nextCursor: expect.any(String), requestId: expect.any(String) });
  });

  it('events without any endpoint are listed, those of other merchants are not', async () => {
    const [owner, other] = [await makeMerchant(api.runtime), await makeMerchant(api.runtime)];
    await record(other, 'theirs');
    await record(owner, 'own');
    expect(namesOf(await listed(owner.key, 1))).toEqual(['own']);
  });

  it('without events there is no cursor, and an empty page returns the cursor that it was given', async () => {
    const owner = await makeMerchant(api.runtime);
    expect(await list(owner.key)).toMatchObject({ status: 200, data: [], meta: { hasMore: false } });
    expect((await list(owner.key)).meta).not.toHaveProperty('nextCursor');
    await record(owner, 'first');
    const { meta } = await listed(owner.key, 1);
    expect(await list(owner.key, { after: meta.nextCursor })).toMatchObject({
      data: [],
      meta: { hasMore: false, nextCursor: meta.nextCursor },
    });
  });

  it('starts with the events of a time', async () => {
    const owner = await makeMerchant(api.runtime);
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    await rowsOf(
      api,
      `insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
       values (uuidv7('-3 hours'), ?, 'program.created', 2, '{}', now()) returning id`,
      [owner.merchantId],
    );
    await record(owner, 'new');
    expect(namesOf(await listed(owner.key, 1, { since: at(1) }))).toEqual(['new']);
    for (const since of ['0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z']) {
      expect(await list(owner.key, { since, types: 'payout.failed' })).toMatchObject({ status: 200, data: [] });
    }
  });
});

describe('no event is missed', () => {
  it('an event that was recorded first and is committed last is listed for a reader who polled in between', async () => {
    const owner = await makeMerchant(api.runtime);
    await record(owner, 'before');
    const { meta } = await listed(owner.key, 1);
    const first = await openTransaction((ctx) => emit(ctx, eventOf(owner, 'recorded first')));
    await record(owner, 'committed first');
    const between = await follow(owner.key, {}, meta.nextCursor);
    expect(between.names).toEqual([]);
    await first.commit();
    await listed(owner.key, 3);
    expect((await follow(owner.key, {}, between.cursor)).names).toEqual(['recorded first', 'committed first']);
  });

  it('an event whose id is smaller than that of the last one listed comes after it', async () => {
    const owner = await makeMerchant(api.runtime);
    const early = context().ids.next();
    await record(owner, 'larger id');
    const { meta } = await listed(owner.key, 1);
    await record(owner, 'smaller id', 'program.created', { ...context(), ids: { next: () => early } });
    await listed(owner.key, 2);
    expect((await follow(owner.key, {}, meta.nextCursor)).names).toEqual(['smaller id']);
  });

  it('a transaction that is rolled back holds nothing up', async () => {
    const owner = await makeMerchant(api.runtime);
    const failing = inTransaction(context(), async (ctx) => {
      await emit(ctx, eventOf(owner, 'rolled back'));
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    await record(owner, 'kept');
    expect(namesOf(await listed(owner.key, 1))).toEqual(['kept']);
  });

  it('a reader who polls while others write sees each of 260 events exactly once', async () => {
    const owner = await makeMerchant(api.runtime);
    const names = Array.from({ length: 260 }, (_, n) => `event ${n}`);
    const waiting = [...names];
    const write = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        const own = eventOf(owner, name);
        await inTransaction(context(), async (ctx) => {
          await emit(ctx, own);
          // Transactions overlap and end in another order than they began.
          await ctx.em.execute('select pg_sleep(random() * 0.02)');
        });
      }
    };
    const writing = Promise.all([write(), write(), write(), write()]);
    const seen: string[] = [];
    let cursor: string | undefined;
    await until(
      `all ${names.length} events were seen`,
      async () => {
        const read = await follow(owner.key, { limit: '7' }, cursor);
        cursor = read.cursor;
        return seen.push(...read.names);
      },
      (count) => count >= names.length,
    );
    await writing;
    seen.push(...(await follow(owner.key, {}, cursor)).names);
    expect([...seen].sort()).toEqual([...names].sort());
  });
});

describe('types', () => {
  it('lists those types only, and the cursor goes past the others', async () => {
    const owner = await makeMerchant(api.runtime);
    await record(owner, 'a', 'payout.failed');
    await record(owner, 'b', 'program.created');
    await record(owner, 'c', 'flag.resolved');
    await record(owner, 'd', 'program.created');
    await listed(owner.key, 4);
    const types = 'flag.resolved,payout.failed';
    expect(namesOf(await list(owner.key, { types }))).toEqual(['a', 'c']);
    const first = await list(owner.key, { types, limit: '1' });
    expect([namesOf(first), first.meta.hasMore]).toEqual([['a'], true]);
    const second = await list(owner.key, { types, limit: '1', after: first.meta.nextCursor });
    expect([namesOf(second), second.meta.hasMore]).toEqual([['c'], false]);
    expect(namesOf(await list(owner.key, { after: second.meta.nextCursor }))).toEqual([]);
  });

  it('looks at 1,000 events in one call: a page may be empty while more are there', async () => {
    const owner = await makeMerchant(api.runtime);
    await rowsOf(
      api,
      `insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
       select uuidv7(), ?, 'program.updated', 2, '{}', now() from generate_series(1, 1200) returning id`,
      [owner.merchantId],
    );
    await record(owner, 'rare', 'payout.failed');
    await listed(owner.key, 1, { types: 'payout.failed', after: await cursorOfLast(owner) });
    const first = await list(owner.key, { types: 'payout.failed' });
    expect([first.data, first.meta.hasMore]).toEqual([[], true]);
    const second = await list(owner.key, { types: 'payout.failed', after: first.meta.nextCursor });
    expect([namesOf(second), second.meta.hasMore]).toEqual([['rare'], false]);
  });

  it.each(['payout', 'payout.failed,', ',payout.failed', 'payout.failed, flag.resolved', '', 'payoutxfailed'])(
    'types of %j are 400',
    async (types) => {
      const { key } = await makeMerchant(api.runtime);
      expect(await list(key, { types })).toMatchObject({ status: 400, error: { details: { issues: [{ path: 'types' }] } } });
    },
  );
});

/** After the first 1,000. */
const cursorOfLast = async (owner: Owner): Promise<string> => {
  const { meta } = await until(
    'the first 1,000 events are a full page',
    () => list(owner.key, { types: 'payout.failed' }),
    (page) => page.meta.hasMore,
  );
  return meta.nextCursor;
};

describe('cursors', () => {
  const problemOf = (code: string) => ({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { issues: [{ path: 'after', code }] } },
  });

  it('responds 400 to a malformed cursor, and to that of another merchant or list', async () => {
    const [owner, other] = [await makeMerchant(api.runtime), await makeMerchant(api.runtime)];
    await record(owner, 'a');
    const { meta } = await listed(owner.key, 1);
    for (let n = 0; n < 2; n += 1) await makeProgram(api, owner.key);
    const { meta: programs } = await api.call('GET', '/programs', { key: owner.key, query: { limit: '1' } });
    expect(await list(other.key, { after: meta.nextCursor })).toMatchObject(problemOf('invalid_cursor'));
    for (const after of ['', 'x', 'a.b', randomUUID(), `${meta.nextCursor}x`, programs.nextCursor]) {
      expect(await list(owner.key, { after })).toMatchObject(problemOf('invalid_cursor'));
    }
    expect(await list(owner.key, { after: 'x'.repeat(513) })).toMatchObject(problemOf('too_big'));
    const since = new Date().toISOString();
    expect(await list(owner.key, { after: meta.nextCursor, since })).toMatchObject({
      status: 400,
      error: { details: { issues: [{ path: 'since', code: 'mixed_pagination' }] } },
    });
  });

  it('another key of the merchant may use the cursor', async () => {
    const owner = await makeMerchant(api.runtime);
    await record(owner, 'a');
    const { meta } = await listed(owner.key, 1);
    const { key } = await makeKey(api.runtime, { ownerId: owner.merchantId, scopes: ['webhooks:read'] });
    expect(await list(key, { after: meta.nextCursor })).toMatchObject({ status: 200, data: [] });
  });

  it('responds 400 to the cursor of an event that is no longer kept, so that no gap goes unnoticed', async () => {
    const owner = await makeMerchant(api.runtime);
    await addEndpoint(api, owner.key);
    await record(owner, 'a');
    const { meta } = await listed(owner.key, 1);
    await runSql(ownerUrlOf(api), `delete from webhook_event where merchant_id = '${owner.merchantId}'`);
    expect(await list(owner.key, { after: meta.nextCursor })).toMatchObject(problemOf('expired_cursor'));
    expect(await list(owner.key)).toMatchObject({ status: 200, data: [] });
  });

  it.each(['0', '101', '-1', 'x'])('responds 400 to the limit %s', async (limit) => {
    const { key } = await makeMerchant(api.runtime);
    expect(await list(key, { limit })).toMatchObject({ status: 400, error: { details: { issues: [{ path: 'limit' }] } } });
  });
});

describe('SE6: data is shown to keys that may read the object', () => {
  /** Every type, by the scope that reads its objects in other operations. */
  const TYPES = {
    'programs:read': ['program.created', 'program.updated'],
    'affiliates:read': [
      ...(['affiliate.joined', 'affiliate.approved', 'affiliate.blocked', 'affiliate.unblocked'] as const),
      ...(['application.submitted', 'application.decided'] as const),
    ],
    'conversions:read': [
      ...(['conversion.created', 'conversion.refunded', 'conversion.held', 'conversion.approved'] as const),
      ...(['conversion.refund_reversed', 'sale.unattributed', 'customer.identified'] as const),
    ],
    'payouts:read': [
      ...(['payout.created', 'payout.processing', 'payout.completed', 'payout.failed', 'payout.returned'] as const),
      ...(['payout.needs_attention', 'payout_run.completed'] as const),
    ],
    'flags:read': ['flag.created', 'flag.resolved'],
  } as const satisfies Partial<Record<Scope, readonly EventType[]>>;
  const SCOPES = Object.keys(TYPES) as (keyof typeof TYPES)[];
  const all: readonly EventType[] = Object.values(TYPES).flat();
  /** Nothing else is made of events that tell of no change. */
  const onlyRecorded = (): Context => ({ ...context(), listeners: [fanOutEvents] });

  const makeEvents = async () => {
    const owner = await makeMerchant(api.runtime);
    for (const type of all) await record(owner, `secret-${type}`, type, onlyRecorded());
    await listed(owner.key, all.length, { extended: 'true', limit: '100' });
    return owner;
  };
  const shownTo = async (merchantId: string, scopes: Scope[], query: Record<string, string> = { extended: 'true' }) => {
    const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['webhooks:read', ...scopes] });
    return list(key, { limit: '100', ...query });
  };
  const namesIn = ({ data }: { data: { data?: { name: string } }[] }) => data.flatMap((event) => event.data?.name ?? []);

  it('every type is in one of the lists', () => {
    expect([...all].sort()).toEqual([...ALL_EVENT_TYPES].sort());
  });

  it('with webhooks:read alone none is, and the response says so', async () => {
    const { merchantId } = await makeEvents();
    const { data, meta, text } = await shownTo(merchantId, []);
    expect(data.map(({ type }: { type: string }) => type)).toEqual(all);
    expect(data.every((event: object) => !('data' in event) && 'subjectId' in event)).toBe(true);
    expect(text).not.toContain('secret-');
    expect(meta.withheld).toEqual([...all].sort());
  });

  it.each(SCOPES)('%s shows that of its types only, of extended ones too', async (scope) => {
    const { merchantId } = await makeEvents();
    const own: readonly EventType[] = TYPES[scope];
    const withheld = all.filter((type) => !own.includes(type)).sort();
    const everything = await shownTo(merchantId, [scope]);
    expect(namesIn(everything)).toEqual(own.map((type) => `secret-${type}`));
    expect(everything.meta.withheld).toEqual(withheld);
    const others = SCOPES.filter((other) => other !== scope);
    const rest = await shownTo(merchantId, others);
    expect(namesIn(rest)).toEqual(all.filter((type) => !own.includes(type)).map((type) => `secret-${type}`));
    expect(rest.meta.withheld).toEqual([...own].sort());
  });

  it('a type that is asked for by name is withheld, too', async () => {
    const { merchantId } = await makeEvents();
    for (const type of EXTENDED_EVENT_TYPES) {
      const { data, meta, text } = await shownTo(merchantId, [], { types: type });
      expect([type, data.length, meta.withheld, text.includes('secret-')]).toEqual([type, 1, [type], false]);
    }
  });

  it('deliveries and replays of all types show no data to webhooks:read', async () => {
    const { merchantId, key, id } = await makeEndpoint(api, { subscribedEvents: EVENT_TYPES });
    await api.call('PATCH', `/webhooks/${id}/settings`, { key, body: { extendedEvents: ['*'] } });
    for (const type of all) await record({ merchantId, key }, `secret-${type}`, type, onlyRecorded());
    const scopes: Scope[] = ['webhooks:read', 'webhooks:write'];
    const { key: narrow } = await makeKey(api.runtime, { ownerId: merchantId, scopes });
    const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const { text, data } = await api.call(method, path, { key: narrow, ...(body && { body }) });
      expect(text).not.toContain('secret-');
      return data;
    };
    const deliveries = await call('GET', `/webhooks/${id}/deliveries?limit=100`);
    expect(deliveries.map(({ eventType }: { eventType: string }) => eventType).sort()).toEqual([...all].sort());
    for (const delivery of deliveries) await call('GET', `/webhook-deliveries/${delivery.id}`);
    const replay = await call('POST', `/webhooks/${id}/replay`, { since: new Date(Date.now() - 60_000).toISOString() });
    await call('GET', `/webhook-replays/${replay.id}`);
  });

  it('with all scopes nothing is withheld, and nothing is said', async () => {
    const { key } = await makeEvents();
    expect((await list(key, { extended: 'true', limit: '100' })).meta).not.toHaveProperty('withheld');
  });

  it('a page of which all is shown says nothing of others', async () => {
    const { merchantId } = await makeEvents();
    const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['webhooks:read', 'payouts:read'] });
    const { data, meta } = await list(key, { types: 'payout.created' });
    expect(data).toHaveLength(1);
    expect(meta).not.toHaveProperty('withheld');
  });
});
