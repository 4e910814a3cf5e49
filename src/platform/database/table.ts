import type { EntitySchemaWithMeta } from '@mikro-orm/core';
import type { InferKyselyTable } from '@mikro-orm/sql';
import { type ColumnType, type Generated, type RawBuilder, sql } from 'kysely';
import { columnNameOf } from './query-builder.ts';

type Simple = string | number | bigint | boolean | Buffer | null;

/** What is read and written. A time is read as text, in which it keeps its microseconds: see `toIso`. A document is written by `json`. */
type Stored<Value> = [NonNullable<Value>] extends [Date]
  ? ColumnType<string | Extract<Value, null>, Value | string, Value | string>
  : [NonNullable<Value>] extends [Simple | readonly Simple[]]
    ? Value
    : ColumnType<
        Value,
        RawBuilder<NonNullable<Value>> | Extract<Value, null>,
        RawBuilder<NonNullable<Value>> | Extract<Value, null>
      >;

/** As `Stored`, may be omitted when a row is inserted. */
type StoredByDefault<Value> = [NonNullable<Value>] extends [Date]
  ? ColumnType<string, Value | string | undefined, Value | string>
  : [NonNullable<Value>] extends [Simple | readonly Simple[]]
    ? Generated<Value>
    : ColumnType<Value, RawBuilder<Value> | undefined, RawBuilder<Value>>;

type Columns<Inferred> = {
  [Name in keyof Inferred]: Inferred[Name] extends Generated<infer Value> ? StoredByDefault<Value> : Stored<Inferred[Name]>;
};

/** The table of an entity, as the query builder sees it: `Table<typeof LinkSchema>`. */
export type Table<Schema extends EntitySchemaWithMeta> = Columns<InferKyselyTable<Schema, { columnNamingStrategy: 'property' }>>;

/** A value of a `jsonb` column. The driver would write a list as an array of the database. */
export const json = <Value>(value: Value): RawBuilder<Value> => sql<Value>`${JSON.stringify(value)}::jsonb`;

/** `= any(…)`: one parameter for a list of any length, so that the statement's text does not depend on it. */
export const anyOf = <Value>(values: readonly Value[] | RawBuilder<readonly Value[]>): RawBuilder<Value> =>
  sql<Value>`any(${values})`;

/**
 * A list for `unnest`, in a statement that joins it to tables. The planner does not see the length of a subquery's result, so a
 * connection keeps one plan. It would plan the statement again for each list, which takes several times as long as running it.
 */
export const uncounted = <Value>(list: RawBuilder<Value>): RawBuilder<Value> => sql<Value>`(select ${list})`;

/** The types of the columns of given rows, by the names of their properties. */
type ColumnTypes<Row> = Readonly<Record<keyof Row & string, string>>;

/** The values of rows, one list for each column: the parameters of `tableOf`. */
export const columnsFrom = <Row extends object>(rows: readonly Row[], types: ColumnTypes<Row>): Lists<Row> =>
  Object.fromEntries(
    Object.keys(types).map((name) => [name, rows.map((row) => row[name as keyof Row] ?? null)]),
  ) as unknown as Lists<Row>;

export type Lists<Row> = { readonly [Name in keyof Row]-?: readonly Row[Name][] };

type GivenLists<Row> = { readonly [Name in keyof Row]: RawBuilder<readonly Row[Name][]> };

/** Given rows as a table `alias` with columns in snake case: one text for any number of rows, and one plan, see `uncounted`. */
export const tableOf = <Row>(lists: GivenLists<Row>, types: ColumnTypes<Row>, alias: string): RawBuilder<unknown> => {
  const names = Object.keys(types) as (keyof Row & string)[];
  const columns = names.map((name, n) => {
    const list = sql`${lists[name]}::${sql.raw(types[name])}[]`;
    // The longest list decides on what the planner expects.
    return n === 0 ? uncounted(list) : list;
  });
  return sql`unnest(${sql.join(columns)}) as ${sql.raw(alias)} (${columnList(types)})`;
};

/** `insert into` of given rows. */
export const insertOf = <Row>(table: string, lists: GivenLists<Row>, types: ColumnTypes<Row>): RawBuilder<unknown> =>
  sql`insert into ${sql.table(table)} (${columnList(types)}) select * from ${tableOf(lists, types, 'given')}`;

const columnList = (types: object): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(types)
      .map((name) => columnNameOf(name))
      .join(', '),
  );

/** `<> all(…)`: as `anyOf`. */
export const allOf = <Value>(values: readonly Value[]): RawBuilder<Value> => sql<Value>`all(${values})`;

/** Columns of a table `alias`, for a template: `p.website, p.landing_page_url as "landingPageUrl"`. */
export const columnsOf = <Columns>(names: readonly (keyof Columns & string)[], alias?: string): RawBuilder<Columns> =>
  sql.raw(names.map((name) => `${alias === undefined ? '' : `${alias}.`}${columnNameOf(name)} as "${name}"`).join(', '));
