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

/** `<> all(…)`: as `anyOf`. */
export const allOf = <Value>(values: readonly Value[]): RawBuilder<Value> => sql<Value>`all(${values})`;

/** Columns of a table `alias`, for a template: `p.website, p.landing_page_url as "landingPageUrl"`. */
export const columnsOf = <Columns>(names: readonly (keyof Columns & string)[], alias?: string): RawBuilder<Columns> =>
  sql.raw(names.map((name) => `${alias === undefined ? '' : `${alias}.`}${columnNameOf(name)} as "${name}"`).join(', '));
