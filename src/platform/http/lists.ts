import { COUNT_MAX } from '../../contracts/limits.ts';
import type { Context } from '../context.ts';
import { compileOnce, type Given, givenOf } from '../database/compiled.ts';
import { type Expression, firstRow, rows, type SelectQueryBuilder, sql } from '../database/sql.ts';
import type { Page } from './operation.ts';
import { type PageQuery, pageOf, readCursor, windowOf, writeCursor } from './pages.ts';

interface ListOf<DB, TB extends keyof DB, Values, Row, Item> {
  /** Name of the list: part of the cursor's signature. */
  name: string | ((values: Values) => string);
  /** Selects and filters; without order and limit. */
  query: (given: Given<Values>) => SelectQueryBuilder<DB, TB, Row>;
  /** Sort key with its id as the tie-breaker; both must be one index, read in one direction. Of type `uuid`, the key is the id. */
  sort?: {
    key: Expression<unknown>;
    id: Expression<unknown>;
    type: 'timestamptz' | 'bigint' | 'text' | 'uuid';
    ascending: boolean;
  };
  /** Exact total from row counters. If omitted, rows of `counted` are counted up to `COUNT_MAX`. */
  total?: (given: Given<Values>) => Expression<{ total: number }> | undefined;
  /** As `query`, with what is needed for counting only. */
  counted?: (given: Given<Values>) => Expression<unknown>;
  toItem(row: Row, ctx: Context): Item;
}

/** Values of the place where a page begins. */
interface Place {
  afterKey?: string | undefined;
  afterId?: string | undefined;
  offset?: number | undefined;
}

interface PageRow {
  pageKey: string;
  pageId: string;
  pageTotal: number;
}

const newestFirst = { key: sql.ref('createdAt'), id: sql.ref('id'), type: 'timestamptz', ascending: false } as const;

/**
 * A list that is read page by page. One page and its total, for all three styles, are one statement; an empty page after the first needs
 * a second one for its total. The statement is compiled once for each page size and set of filters; the size is part of its text, so
 * that the plan of a prepared statement fits it.
 */
export const list = <DB, TB extends keyof DB, Values extends object, Row, Item>(of: ListOf<DB, TB, Values, Row, Item>) => {
  const sort = of.sort ?? newestFirst;
  const beyond = sql.raw(sort.ascending ? '>' : '<');
  const direction = sort.ascending ? 'asc' : 'desc';
  const isById = sort.type === 'uuid';
  const exactTotal = (given: Given<Values>) => of.total?.(given);
  const totalOf = (given: Given<Values>): Expression<{ total: number }> =>
    exactTotal(given) ??
    sql`select count(*)::int as total from ${
      of.counted
        ? sql`(select from ${of.counted(given)} as matching limit ${sql.lit(COUNT_MAX + 1)})`
        : of
            .query(given)
            .clearSelect()
            .select(sql`1`.as('one'))
            .limit(sql.lit(COUNT_MAX + 1))
    } as counted`;

  const pageStatement = compileOnce<Values & Place, Row & PageRow>((given, size) => {
    const { afterKey, afterId, offset } = given;
    const after = isById
      ? sql<boolean>`${sort.id} ${beyond} ${afterId}::uuid`
      : sql<boolean>`(${sort.key}, ${sort.id}) ${beyond} (${afterKey}::${sql.raw(sort.type)}, ${afterId}::uuid)`;
    return of
      .query(given)
      .select([
        sql<string>`${sort.key}::text`.as('pageKey'),
        sql<string>`${sort.id}::text`.as('pageId'),
        sql<number>`(${totalOf(given)})`.as('pageTotal'),
      ])
      .$if(afterId !== undefined, (query) => query.where(after))
      .$if(!isById, (query) => query.orderBy(sort.key, direction))
      .orderBy(sort.id, direction)
      .limit(sql.raw<number>(size))
      .$if(offset !== undefined, (query) => query.offset(offset ?? 0))
      .$castTo<Row & PageRow>();
  });

  return async (ctx: Context, query: PageQuery, values: Values): Promise<Page<Item>> => {
    const { size, offset } = windowOf(query);
    const name = typeof of.name === 'string' ? of.name : of.name(values);
    const from = query.cursor === undefined ? undefined : readCursor(ctx, name, query.cursor);
    const place = from
      ? { afterId: from.id, ...(isById ? {} : { afterKey: from.key }) }
      : { offset: offset === 0 ? undefined : offset };
    const found = await rows(ctx.em, pageStatement({ ...values, ...place }, String(size + 1)));
    const isEmpty = !from && offset === 0 && found.length === 0;
    const given = givenOf(values);
    const total =
      found[0]?.pageTotal ??
      (isEmpty ? 0 : (await firstRow(ctx.em, sql<{ total: number }>`select (${totalOf(given)}) as total`))?.total) ??
      0;
    return pageOf(found, {
      size,
      page: from ? 1 : Math.floor(offset / size) + 1,
      total,
      most: exactTotal(given) ? Number.POSITIVE_INFINITY : COUNT_MAX,
      toItem: (row) => of.toItem(row, ctx),
      cursorAfter: (row) => writeCursor(ctx, name, { key: row.pageKey, id: row.pageId }),
    });
  };
};
