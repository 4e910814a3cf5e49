import type { EntityManager } from '@mikro-orm/postgresql';
import { type Compilable, type CompiledQuery, type Expression, type QueryResult, type RawBuilder, sql } from 'kysely';
import { queryBuilder } from './query-builder.ts';

export {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type InferResult,
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
export { jsonBuildObject } from 'kysely/helpers/postgres';

/** A statement: of a query builder, a template, or compiled before. */
export type Statement<T> = Compilable<T> | RawBuilder<T> | CompiledQuery<T>;

const compiler = queryBuilder<unknown>();

/** A template as what `compileOnce` compiles. */
export const statementOf = <T>(template: RawBuilder<T>): Compilable<T> => ({ compile: () => template.compile(compiler) });

const compile = <T>(statement: Statement<T>): CompiledQuery<T> => {
  if ('sql' in statement) return statement;
  return 'isRawBuilder' in statement ? statement.compile(compiler) : statement.compile();
};

/** Changed entities are written before a statement reads or changes their rows; the check costs nothing where none is loaded. */
export const flushPending = async (em: EntityManager): Promise<void> => {
  const work = em.getUnitOfWork();
  const isEmpty =
    work.getPersistStack().size === 0 && work.getRemoveStack().size === 0 && work.getIdentityMap()[Symbol.iterator]().next().done;
  if (!isEmpty) await em.flush();
};

const run = async <T>(em: EntityManager, statement: Statement<T>): Promise<QueryResult<T>> => {
  await flushPending(em);
  return em.getKysely<unknown>().executeQuery(compile(statement));
};

/** Rows of a statement, in the manager's transaction if there is one. Times arrive as text: pass them through `toIso`. */
export const rows = async <T>(em: EntityManager, statement: Statement<T>): Promise<T[]> => (await run(em, statement)).rows;

export const firstRow = async <T>(em: EntityManager, statement: Statement<T>): Promise<T | null> =>
  (await rows(em, statement))[0] ?? null;

/**
 * One row of each statement, in one round trip; null for a statement without one. A statement must not have more. Values pass
 * through JSON: times are text that `Date` reads.
 */
export const firstRowOfEach = async <T extends object>(
  em: EntityManager,
  statements: StatementOfEach<T>,
): Promise<RowOfEach<T>> => rowOfEach(em, eachOf(statements));

type StatementOfEach<T> = { readonly [Name in keyof T]: RawBuilder<T[Name]> };
type RowOfEach<T> = { [Name in keyof T]: T[Name] | null };

/** The statement of `firstRowOfEach`, for `compileOnce`; `rowOfEach` runs it. */
export const eachOf = <T extends object>(statements: StatementOfEach<T>): Compilable<RowOfEach<T>> => {
  const columns = Object.entries<RawBuilder<unknown>>(statements).map(([name, statement]) =>
    sql`(select to_jsonb(one) from (${statement}) as one)`.as(name),
  );
  return statementOf(sql<RowOfEach<T>>`select ${sql.join(columns)}`);
};

export const rowOfEach = async <T extends object>(em: EntityManager, statement: Statement<T>): Promise<T> => {
  const [found] = await rows(em, statement);
  if (!found) throw new Error('a statement without a table returns a row');
  return found;
};

export const execute = async (em: EntityManager, statement: Statement<unknown>): Promise<number> =>
  Number((await run(em, statement)).numAffectedRows ?? 0);

/** All conditions joined by AND; no condition matches every row. */
export const allOf = (conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> => {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
};

/**
 * ISO 8601 with milliseconds, from a date or from text as Postgres writes it in a UTC session
 * ("2026-01-31 10:00:00.123+00"). The text is sliced instead of parsed, which takes ten times as long: lists have one or
 * more timestamps per row.
 */
export const toIso = (time: Date | string): string => {
  const fraction = typeof time === 'string' && UTC_TIME.test(time) ? time.slice(20, -3) : null;
  if (typeof time !== 'string' || fraction === null) return new Date(time).toISOString();
  return `${time.slice(0, 10)}T${time.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
};

/** As `toIso`, an expression: for JSON that is made by the database. */
export const isoOf = (time: Expression<unknown>): RawBuilder<string> =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** An expression for each field of `T`. */
export type FieldsOf<T> = { readonly [Name in keyof T]: Expression<unknown> };

const UTC_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;

export const toIsoOrNull = (time: Date | string | null | undefined): string | null =>
  time === null || time === undefined ? null : toIso(time);

/** A resource as an entity or as a row: times are dates or text, and a nullable field may be undefined. */
export type Stored<View, Time extends keyof View> = {
  [Name in keyof View]: (Name extends Time ? Date | string : View[Name]) | (null extends View[Name] ? null | undefined : never);
};
