import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { ENTITIES } from '../../../src/domains/entities.ts';
import { db } from '../../../src/domains/tables.ts';
import { compileOnce, type Given } from '../../../src/platform/database/compiled.ts';
import { openOrm } from '../../../src/platform/database/orm.ts';
import { columnNameOf } from '../../../src/platform/database/query-builder.ts';
import { type RawBuilder, sql } from '../../../src/platform/database/sql.ts';
import { anyOf, columnsOf, json } from '../../../src/platform/database/table.ts';

const textOf = (statement: { compile(): { sql: string } }): string => statement.compile().sql;
const textOfTemplate = (template: RawBuilder<unknown>): string => template.compile(db).sql;

describe('names', () => {
  it('names are those of the entities, for every column', async () => {
    const limits = { poolMax: 1, statementTimeoutMs: 1, connectTimeoutMs: 1 };
    const orm = await openOrm({ url: 'postgres://localhost:1/none', ...limits }, Object.values(ENTITIES));
    const columns = [...orm.getMetadata()].flatMap(({ props }) => props);
    expect(columns.length).toBeGreaterThan(100);
    for (const { name, fieldNames } of columns) expect(fieldNames).toEqual([columnNameOf(name)]);
    await orm.close();
  });

  it('selected columns have the names of properties, and conditions those of columns', () => {
    expect(textOf(db.selectFrom('link').select(['id', 'createdAt']).where('deletedAt', 'is', null).orderBy('createdAt'))).toBe(
      'select "id", "created_at" as "createdAt" from "link" where "deleted_at" is null order by "created_at"',
    );
  });

  it('columns of joined tables need no qualification where they are unique', () => {
    const query = db.selectFrom('link as l').innerJoin('affiliate as a', 'a.id', 'l.affiliateId');
    expect(textOf(query.select(['l.targetUrl', 'payoutsPaused']))).toBe(
      'select "l"."target_url" as "targetUrl", "payouts_paused" as "payoutsPaused" from "link" as "l" inner join "affiliate" as "a" on "a"."id" = "l"."affiliate_id"',
    );
  });

  it('names of aliases are kept', () => {
    expect(textOf(db.selectFrom('payout').select('createdAt as firstSeen'))).toBe(
      'select "created_at" as "firstSeen" from "payout"',
    );
  });

  it('names of aggregates are kept, and may order the rows', () => {
    const query = db.selectFrom('payout').select(({ fn }) => ['currency', fn.max('createdAt').as('lastCreated')]);
    expect(textOf(query.groupBy('currency').orderBy('lastCreated', 'desc'))).toBe(
      'select "currency", max("created_at") as "lastCreated" from "payout" group by "currency" order by "lastCreated" desc',
    );
  });

  it('columns of common table expressions have the names of columns, whatever they are called', () => {
    const query = db
      .with('paid', (cte) => cte.selectFrom('payout').select(['affiliateId', 'createdAt as paidAt']))
      .selectFrom('paid')
      .select(['affiliateId', 'paidAt']);
    expect(textOf(query)).toBe(
      'with "paid" as (select "affiliate_id", "created_at" as "paid_at" from "payout") select "affiliate_id" as "affiliateId", "paid_at" as "paidAt" from "paid"',
    );
  });

  it('a subquery has the names of columns', () => {
    const own = db.selectFrom('link').select('createdAt as firstSeen').as('own');
    expect(textOf(db.selectFrom(own).select('firstSeen').where('firstSeen', '>', '2026-01-01'))).toBe(
      'select "first_seen" as "firstSeen" from (select "created_at" as "first_seen" from "link") as "own" where "first_seen" > $1',
    );
  });

  it('objects of a list in JSON have the names of properties', () => {
    expect(textOf(db.selectNoFrom(() => jsonArrayFrom(db.selectFrom('link').select('createdAt')).as('links')))).toContain(
      `from (select "created_at" as "createdAt" from "link") as agg`,
    );
  });

  it('a statement in a template has the names of properties', () => {
    expect(textOfTemplate(sql`select to_jsonb(one) from ${db.selectFrom('link').select('createdAt')} as one`)).toBe(
      'select to_jsonb(one) from (select "created_at" as "createdAt" from "link") as one',
    );
    expect(textOfTemplate(sql`select ${sql`1`.as('firstOne')}`)).toBe('select 1 as "firstOne"');
  });

  it('returned columns have the names of properties, in inserts, updates and deletions', () => {
    const end = '"updated_at" as "updatedAt"';
    expect(textOf(db.updateTable('link').set({ isActive: false }).returning('updatedAt'))).toBe(
      `update "link" set "is_active" = $1 returning ${end}`,
    );
    expect(textOf(db.deleteFrom('link').returning('updatedAt'))).toBe(`delete from "link" returning ${end}`);
  });

  it('an upsert has the names of columns, also of the excluded row', () => {
    const values = { id: '1', programId: '2', ciphertext: 'c', lastFour: '1234', createdAt: '2026-01-01' };
    const query = db
      .insertInto('program_event_secret')
      .values(values)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ lastFour: ref('excluded.lastFour') })));
    expect(textOf(query)).toContain(
      `("id", "program_id", "ciphertext", "last_four", "created_at") values ($1, $2, $3, $4, $5) on conflict ("id") do update set "last_four" = "excluded"."last_four"`,
    );
  });

  it('names must be given: all columns of a table are refused where rows are returned', () => {
    expect(() => textOf(db.selectFrom('link').selectAll())).toThrow('Select columns by their names');
    expect(() => textOf(db.selectFrom('link as l').selectAll('l'))).toThrow('Select columns by their names');
    expect(() => textOf(db.deleteFrom('link').returningAll())).toThrow('Select columns by their names');
  });

  it('names of columns in a template are written by columnsOf', () => {
    expect(textOfTemplate(columnsOf<{ id: string; createdAt: string }>(['id', 'createdAt'], 'p'))).toBe(
      'p.id as "id", p.created_at as "createdAt"',
    );
  });
});

describe('values', () => {
  it('values of a partial index are written into the statement', () => {
    expect(textOf(db.selectFrom('payout').select('id').where('needsAttention', '=', sql.lit(true)))).toContain(
      'where "needs_attention" = true',
    );
  });

  it('documents are JSON, also an empty list', () => {
    const { sql: text, parameters } = db
      .updateTable('program')
      .set({ allowedLandingPages: json([]) })
      .compile();
    expect(text).toBe('update "program" set "allowed_landing_pages" = $1::jsonb');
    expect(parameters).toEqual(['[]']);
    // @ts-expect-error The driver would write a list as an array of the database.
    db.updateTable('program').set({ allowedLandingPages: [] });
  });

  it('values of a list are one parameter', () => {
    const query = db
      .selectFrom('program')
      .select('id')
      .where('status', '=', anyOf(['active', 'paused']))
      .compile();
    expect(query.sql).toContain('where "status" = any($1)');
    expect(query.parameters).toEqual([['active', 'paused']]);
  });

  it('values have the types of the entity', () => {
    const queries = [
      // @ts-expect-error Not a status.
      db.selectFrom('program').select('id').where('status', '=', 'open'),
      // @ts-expect-error Not a column.
      db.selectFrom('program').select('created_at'),
    ];
    expect(queries.map((query) => query.compile().sql)).toEqual([
      expect.stringContaining('"status" ='),
      expect.stringContaining('"created_at"'),
    ]);
  });
});

describe('a statement that is compiled once', () => {
  let built = 0;
  const build = ({ id, status }: Given<{ id: string; status?: 'active' | undefined }>) => {
    built++;
    return db
      .selectFrom('program')
      .select('id')
      .where('id', '=', id)
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
      .where('currency', '=', 'usd');
  };

  it('a compiled statement is built for each set of given values, with the values of each call', () => {
    const statement = compileOnce(build);
    const first = statement({ id: 'a' });
    const second = statement({ id: 'b', status: undefined });
    const third = statement({ id: 'c', status: 'active' });
    expect([first.parameters, second.parameters, third.parameters]).toEqual([
      ['a', 'usd'],
      ['b', 'usd'],
      ['c', 'active', 'usd'],
    ]);
    expect(second.sql).toBe(first.sql);
    expect(built).toBe(2);
  });
});

it('the builder does not run statements itself', async () => {
  await expect(db.selectFrom('link').select('id').execute()).rejects.toThrow('pass them to rows');
});
