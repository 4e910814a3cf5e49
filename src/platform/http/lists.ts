import { COUNT_MAX } from '../../contracts/limits.ts';
import type { Context } from '../context.ts';
import { compileOnce, type Given, givenOf } from '../database/compiled.ts';
import { type Expression, firstRow, type RawBuilder, rows, type SelectQueryBuilder, sql } from '../database/sql.ts';
import type { CsvSource } from './csv-download.ts';
import type { Page } from './operation.ts';
import { type PageQuery, type Position, pageOf, readCursor, windowOf, writeCursor } from './pages.ts';

interface ListOf<DB, TB extends keyof DB, Values, Row, Item> {
  /** Name of the list: part of the cursor's signature. */
  name: string | ((values: Values) => string);
  /** Selects and filters; without order and limit. `window` is for what it reads in subqueries. */
  query: (given: Given<Values>, window: Window) => SelectQueryBuilder<DB, TB, Row>;
  /** Sort key with its id as the tie-breaker; both must be one index, read in one direction. Of type `uuid`, the key is the id. */
  sort?: {
    key: Expression<unknown>;
    id: Expression<unknown>;
    type: 'timestamptz' | 'bigint' | 'text' | 'uuid';
    ascending: boolean;
  };
  /** Exact total from row counters. If omitted, rows of `counted` are counted up to `COUNT_MAX`. */
  total?: (given: Given<Values>) => Expression<{ total: number }> | undefined;
  /** Like `query`, with what is needed for counting only. */
  counted?: (given: Given<Values>) => Expression<unknown>;
  toItem(row: Row, ctx: Context): Item;
}

/** What a page needs of a list: no more than the first `upTo` rows after `afterId`. */
export interface Window {
  afterId?: Expression<string> | undefined;
  upTo: RawBuilder<number>;
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

/** Batch for a list that is read as a whole. */
const BATCH_SIZE = 500;

const newestFirst = { key: sql.ref('createdAt'), id: sql.ref('id'), type: 'timestamptz', ascending: false } as const;

/** Compiled once for each size and set of values. */
const statementsOf = <DB, TB extends keyof DB, Values extends object, Row, Item>(of: ListOf<DB, TB, Values, Row, Item>) => {
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
            .query(given, { upTo: sql.lit(COUNT_MAX + 1) })
            .clearSelect()
            .select(sql`1`.as('one'))
            .limit(sql.lit(COUNT_MAX + 1))
    } as counted`;

  const statementOf = (given: Given<Values & Place>, size: string, total: Expression<unknown>) => {
    const { afterKey, afterId, offset } = given;
    const after = isById
      ? sql<boolean>`${sort.id} ${beyond} ${afterId}::uuid`
      : sql<boolean>`(${sort.key}, ${sort.id}) ${beyond} (${afterKey}::${sql.raw(sort.type)}, ${afterId}::uuid)`;
    const upTo = offset === undefined ? sql.raw<number>(size) : sql<number>`${offset} + ${sql.raw(size)}`;
    return of
      .query(given, { afterId, upTo })
      .select([
        sql<string>`${sort.key}::text`.as('pageKey'),
        sql<string>`${sort.id}::text`.as('pageId'),
        sql<number>`(${total})`.as('pageTotal'),
      ])
      .$if(afterId !== undefined, (query) => query.where(after))
      .$if(!isById, (query) => query.orderBy(sort.key, direction))
      .orderBy(sort.id, direction)
      .limit(sql.raw<number>(size))
      .$if(offset !== undefined, (query) => query.offset(offset ?? 0))
      .$castTo<Row & PageRow>();
  };
  const pageStatement = compileOnce<Values & Place, Row & PageRow>((given, size) => statementOf(given, size, totalOf(given)));
  const batchStatement = compileOnce<Values & Place, Row & PageRow>((given, size) => statementOf(given, size, sql.lit(0)));
  const placeAfter = ({ id, key }: Position): Place => ({ afterId: id, ...(isById ? {} : { afterKey: key }) });
  return { pageStatement, batchStatement, placeAfter, totalOf, exactTotal };
};

/**
 * A list that is read page by page. One page and its total, for all three styles, are one statement; an empty page after the first needs
 * a second one for its total. The statement is compiled once for each page size and set of filters; the size is part of its text, so
 * that the plan of a prepared statement fits it.
 */
export const list = <DB, TB extends keyof DB, Values extends object, Row, Item>(of: ListOf<DB, TB, Values, Row, Item>) => {
  const { pageStatement, batchStatement, placeAfter, totalOf, exactTotal } = statementsOf(of);

  const readPage = async (ctx: Context, query: PageQuery, values: Values): Promise<Page<Item>> => {
    const { size, offset } = windowOf(query);
    const name = typeof of.name === 'string' ? of.name : of.name(values);
    const from = query.cursor === undefined ? undefined : readCursor(ctx, name, query.cursor);
    const place = from ? placeAfter(from) : { offset: offset === 0 ? undefined : offset };
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

  /** The whole list, for a file. No transaction and no connection is held between two batches. */
  const readAll = (ctx: Context, values: Values): CsvSource<Item> => ({
    async *batches() {
      for (let place: Place = {}; ; ) {
        const found = await rows(ctx.em, batchStatement({ ...values, ...place }, String(BATCH_SIZE)));
        yield found.map((row) => of.toItem(row, ctx));
        const last = found.at(-1);
        if (!last || found.length < BATCH_SIZE) return;
        place = placeAfter({ key: last.pageKey, id: last.pageId });
      }
    },
    async exceeds(max) {
      const matching = of
        .query(givenOf(values), { upTo: sql.lit(max + 1) })
        .clearSelect()
        .select(sql`1`.as('one'));
      const beyondMax = matching.limit(sql.lit(1)).offset(sql.lit(max));
      return (await rows(ctx.em, beyondMax)).length > 0;
    },
  });

  return Object.assign(readPage, { all: readAll });
};
