import { MarketingResource } from '../../src/domains/resources/resource.entity.ts';
import { db } from '../../src/domains/tables.ts';
import { compileOnce, type Given } from '../../src/platform/database/compiled.ts';
import { lockName } from '../../src/platform/database/lock-name.ts';
import type { EntityManager } from '../../src/platform/database/orm.ts';
import { forkOf } from '../../src/platform/database/orm.ts';
import { execute, firstRow, firstRowOfEach, rows, sql, toIso } from '../../src/platform/database/sql.ts';
import { anyOf, columnsOf, json } from '../../src/platform/database/table.ts';
import { useOwnApi } from '../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, type TestAffiliate, unique } from '../support/factories.ts';

const api = useOwnApi();

const database = (): EntityManager => forkOf(api.runtime.orm);

let member: TestAffiliate & { merchantId: string; programId: string };
beforeAll(async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  member = { merchantId, programId, ...(await makeAffiliate(api.runtime, programId)) };
});

const TIME = new Date('2026-01-31T10:00:00.123Z');

const newPost = () => {
  const { merchantId, programId } = member;
  const [kind, status, title] = ['social_post', 'draft', 'N'] as const;
  return {
    id: api.runtime.ids.next(),
    merchantId,
    programId,
    kind,
    status,
    title,
    platforms: [],
    createdAt: TIME,
    updatedAt: TIME,
  };
};

const titleOf = (em: EntityManager, id: string) =>
  firstRow(em, db.selectFrom('marketing_resource').select('title').where('id', '=', id)).then((row) => row?.title);

describe('values', () => {
  it.each([
    ['9007199254740991::int8', Number.MAX_SAFE_INTEGER],
    ['(-9007199254740991)::int8', -Number.MAX_SAFE_INTEGER],
    ['12.50::numeric', 12.5],
    ['sum(v) from (values (1::int8), (2)) as t (v)', 3],
    ['null::int8', null],
    ['null::numeric', null],
    ['array[1, null, 3]::int8[]', [1, null, 3]],
    ['array[1.5, 2]::numeric[]', [1.5, 2]],
    [`array['a', null]::text[]`, ['a', null]],
    [`'{}'::int8[]`, []],
    [`'2026-01-31 10:00:00.123456+00'::timestamptz`, '2026-01-31 10:00:00.123456+00'],
    [`'infinity'::timestamptz`, 'infinity'],
    [`'{"list": [1, {"a": null}], "big": 9007199254740993}'::jsonb`, { list: [1, { a: null }], big: 9007199254740992 }],
    [`'[]'::jsonb`, []],
    [`'null'::jsonb`, null],
    ['true', true],
  ])('%s arrives as a value', async (expression, value) => {
    const [call = '', from = ''] = expression.split(' from ');
    const statement = sql`select ${sql.raw(call)} as value ${sql.raw(from && `from ${from}`)}`;
    expect(await firstRow(database(), statement)).toEqual({ value });
  });

  it.each(['9007199254740993::int8', '9007199254740993::numeric', `'NaN'::numeric`, 'array[1, 9007199254740993]::int8[]'])(
    '%s is refused: it is not a safe number',
    async (expression) => {
      await expect(firstRow(database(), sql`select ${sql.raw(expression)} as value`)).rejects.toThrow('not a safe number');
    },
  );

  it('values of a refused row leave the connection usable', async () => {
    await database().transactional(async (em) => {
      const inner = em as EntityManager;
      await expect(firstRow(inner, sql`select 9007199254740993::int8 as value`)).rejects.toThrow('not a safe number');
      expect(await firstRow(inner, sql`select 1 as value`)).toEqual({ value: 1 });
    });
  });

  it('values of a list are one parameter, also an empty one', async () => {
    const of = (ids: string[]) => rows(database(), db.selectFrom('program').select('id').where('id', '=', anyOf(ids)));
    expect(await of([member.programId, api.runtime.ids.next()])).toEqual([{ id: member.programId }]);
    expect(await of([])).toEqual([]);
  });

  it('documents are read as they were written', async () => {
    const pages = [{ path: '/a?"b"', label: "It's {1, 2}" }];
    const em = database();
    await execute(
      em,
      db
        .updateTable('program')
        .set({ allowedLandingPages: json(pages) })
        .where('id', '=', member.programId),
    );
    const query = db
      .selectFrom('program')
      .select(['allowedLandingPages', sql<string>`allowed_landing_pages -> 0 ->> 'path'`.as('firstPath')])
      .where('id', '=', member.programId);
    expect(await firstRow(em, query)).toEqual({ allowedLandingPages: pages, firstPath: '/a?"b"' });
    await execute(
      em,
      db
        .updateTable('program')
        .set({ allowedLandingPages: json([]) })
        .where('id', '=', member.programId),
    );
    expect(await firstRow(em, query)).toEqual({ allowedLandingPages: [], firstPath: null });
  });

  it('times are text with their microseconds, and are compared with text', async () => {
    const em = database();
    const post = newPost();
    await execute(em, db.insertInto('marketing_resource').values(post));
    const exact = '2026-01-31 10:00:00.123456+00';
    await execute(em, db.updateTable('marketing_resource').set({ createdAt: exact }).where('id', '=', post.id));
    const found = await firstRow(em, db.selectFrom('marketing_resource').select('createdAt').where('id', '=', post.id));
    const createdAt = found?.createdAt ?? '';
    expect([createdAt, toIso(createdAt)]).toEqual(['2026-01-31 10:00:00.123+00', '2026-01-31T10:00:00.123Z']);
    const since = (time: string) =>
      rows(em, db.selectFrom('marketing_resource').select('id').where('id', '=', post.id).where('createdAt', '>=', time));
    expect(await since(TIME.toISOString())).toHaveLength(1);
    expect(await since('2026-01-31T10:00:00.124Z')).toEqual([]);
  });
});

describe('what is pending', () => {
  it('a pending change is written before a statement', async () => {
    const post = newPost();
    await database().transactional(async (outer) => {
      const em = outer as EntityManager;
      em.create(MarketingResource, post);
      expect(await titleOf(em, post.id)).toBe('N');
      const stored = await em.findOneOrFail(MarketingResource, { id: post.id });
      stored.title = 'changed';
      expect(await execute(em, db.updateTable('marketing_resource').set({ body: 'B' }).where('title', '=', 'changed'))).toBe(1);
      stored.title = 'again';
      expect(await firstRowOfEach(em, { post: sql`select title from marketing_resource where id = ${post.id}::uuid` })).toEqual({
        post: { title: 'again' },
      });
      em.remove(stored);
      expect(await titleOf(em, post.id)).toBeUndefined();
    });
  });

  it('a pending change is rolled back with the transaction, as what a statement wrote', async () => {
    const post = newPost();
    const failing = database().transactional(async (outer) => {
      const em = outer as EntityManager;
      em.create(MarketingResource, post);
      await execute(em, db.updateTable('marketing_resource').set({ title: 'by statement' }).where('id', '=', post.id));
      throw new Error('no commit');
    });
    await expect(failing).rejects.toThrow('no commit');
    expect(await titleOf(database(), post.id)).toBeUndefined();
  });

  it('a pending change is not seen by others before the commit', async () => {
    const post = newPost();
    await database().transactional(async (outer) => {
      const em = outer as EntityManager;
      em.create(MarketingResource, post);
      expect(await titleOf(em, post.id)).toBe('N');
      expect(await titleOf(database(), post.id)).toBeUndefined();
    });
    expect(await titleOf(database(), post.id)).toBe('N');
  });

  it('breaks a unique constraint at the statement that writes it', async () => {
    const post = newPost();
    await execute(database(), db.insertInto('marketing_resource').values(post));
    const again = database().transactional(async (outer) => {
      const em = outer as EntityManager;
      em.create(MarketingResource, post);
      await expect(titleOf(em, post.id)).rejects.toThrow('duplicate key');
      throw new Error('rolled back');
    });
    await expect(again).rejects.toThrow('rolled back');
  });
});

describe('statements run as the guide shows them', () => {
  const byId = compileOnce(({ id }: Given<{ id: string }>) =>
    db.selectFrom('program').select(['id', 'currency']).where('id', '=', id),
  );

  it('a row that is compiled once', async () => {
    const em = database();
    for (const id of [member.programId, api.runtime.ids.next(), member.programId]) {
      expect(await firstRow(em, byId({ id }))).toEqual(id === member.programId ? { id, currency: 'usd' } : null);
    }
  });

  it('a join', async () => {
    const query = db
      .selectFrom('affiliate as a')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .select(['a.id as affiliateId', 'p.payoutThreshold'])
      .where('p.id', '=', member.programId);
    expect(await rows(database(), query)).toEqual([{ affiliateId: member.affiliateId, payoutThreshold: 1000 }]);
  });

  it('an aggregate of no rows', async () => {
    const query = db
      .selectFrom('payout')
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere('status', '=', 'failed').as('failed'),
        fn.coalesce(fn.sum<number>('amount'), sql<number>`0`).as('total'),
      ]);
    expect(await firstRow(database(), query)).toEqual({ failed: 0, total: 0 });
  });

  it('an upsert, an update and a deletion that return', async () => {
    const em = database();
    const post = newPost();
    const upsert = (title: string) =>
      db
        .insertInto('marketing_resource')
        .values({ ...post, title, platforms: ['x', 'threads'] })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ title: ref('excluded.title') })))
        .returning(['title', 'platforms', 'publishedAt']);
    const stored = (title: string) => ({ title, platforms: ['x', 'threads'], publishedAt: null });
    expect(await firstRow(em, upsert('first'))).toEqual(stored('first'));
    expect(await firstRow(em, upsert('second'))).toEqual(stored('second'));
    const change = db.updateTable('marketing_resource').set({ title: 'third' }).where('id', '=', post.id);
    expect(await rows(em, change.returning('title'))).toEqual([{ title: 'third' }]);
    expect(await execute(em, change)).toBe(1);
    const deletion = db.deleteFrom('marketing_resource').where('id', '=', post.id);
    expect(await firstRow(em, deletion.returning('title as ended'))).toEqual({ ended: 'third' });
    expect(await execute(em, deletion)).toBe(0);
  });

  it('insert … select, and many rows with one text', async () => {
    const em = database();
    const [first, second] = [newPost(), newPost()];
    const { merchantId, programId } = member;
    const written = await execute(
      em,
      sql`insert into marketing_resource (id, title, merchant_id, program_id, kind, status, platforms, created_at, updated_at)
        select id, title, ${merchantId}::uuid, ${programId}::uuid, 'social_post', 'draft', '{x}', now(), now()
        from unnest(${[first.id, second.id]}::uuid[], ${['one', 'two']}::text[]) as one (id, title)`,
    );
    expect(written).toBe(2);
    const columns = ['merchantId', 'programId', 'kind', 'status', 'platforms', 'createdAt', 'updatedAt'] as const;
    const copies = db
      .insertInto('marketing_resource')
      .columns(['id', 'title', ...columns])
      .expression(
        db
          .selectFrom('marketing_resource')
          .select([sql<string>`gen_random_uuid()`.as('id'), sql<string>`title || ' again'`.as('title'), ...columns])
          .where('id', '=', anyOf([first.id, second.id])),
      );
    expect(await execute(em, copies)).toBe(2);
    const titles = db.selectFrom('marketing_resource').select('title').where('title', 'like', '% again').orderBy('title');
    expect(await rows(em, titles)).toEqual([{ title: 'one again' }, { title: 'two again' }]);
  });

  it('locks that skip what is locked', async () => {
    const locked = db.selectFrom('program').select('id').where('id', '=', member.programId).forUpdate().skipLocked().limit(100);
    await database().transactional(async (em) => {
      expect(await rows(em as EntityManager, locked)).toHaveLength(1);
      expect(await rows(database(), locked)).toEqual([]);
    });
    expect(await rows(database(), locked)).toHaveLength(1);
  });

  it('a lock of a name, in the transaction of the caller', async () => {
    const name = `test:${unique()}`;
    const isFree = () => firstRow(database(), sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as free`);
    await database().transactional(async (em) => {
      await lockName({ ...api.runtime.context({ kind: 'system', name: 'test' }), em: em as EntityManager }, name);
      expect(await isFree()).toEqual({ free: false });
    });
    expect(await isFree()).toEqual({ free: true });
  });

  it('a common table expression, a subquery and exists', async () => {
    const em = database();
    const due = db
      .with('due', (cte) => cte.selectFrom('affiliate').select(['id', 'programId as ofProgram', 'createdAt as joinedAt']))
      .selectFrom('due')
      .select(['id', 'ofProgram'])
      .where('ofProgram', '=', member.programId);
    expect(await rows(em, due)).toEqual([{ id: member.affiliateId, ofProgram: member.programId }]);
    const withPayout = db
      .selectFrom('affiliate as a')
      .select('a.id')
      .where('a.programId', '=', member.programId)
      .where(({ exists, not, selectFrom }) => {
        const payout = selectFrom('payout as p').select('p.id').whereRef('p.affiliateId', '=', 'a.id');
        return not(exists(payout.where('p.needsAttention', '=', sql.lit(true))));
      });
    expect(await rows(em, withPayout)).toEqual([{ id: member.affiliateId }]);
  });

  it('a template with the columns of an entity', async () => {
    type Column = 'id' | 'payoutThreshold' | 'commissionPercent' | 'allowCustomDestinations';
    const columns = columnsOf<Record<Column, unknown>>(
      ['id', 'payoutThreshold', 'commissionPercent', 'allowCustomDestinations'],
      'p',
    );
    expect(await firstRow(database(), sql`select ${columns} from program p where p.id = ${member.programId}::uuid`)).toEqual({
      id: member.programId,
      payoutThreshold: 1000,
      commissionPercent: 20,
      allowCustomDestinations: false,
    });
  });
});
