import { CompiledQuery } from 'kysely';
import { rows, sql } from '../../src/platform/database/sql.ts';
import type { TestApi } from './api.ts';
import type { SentStatement } from './statements.ts';

/** What `explain (analyze)` returns; rows are the average of all loops. */
interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

const emOf = ({ runtime }: TestApi) => runtime.context({ kind: 'system', name: 'test' }).em;

/** With the values that the statement was sent with. */
const explained = async (api: TestApi, { text, values }: SentStatement, options: string): Promise<Plan> => {
  const statement = CompiledQuery.raw(`explain (${options}, format json) ${text}`, values);
  const found = await emOf(api).getKysely().executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(statement);
  const plan = found.rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('no plan');
  return plan;
};

/** The plan as JSON; the statement is not executed. */
export const explain = async (api: TestApi, statement: SentStatement): Promise<string> =>
  JSON.stringify(await explained(api, statement, 'costs'));

/** The plan and what it read: the statement is executed again. */
export const planOf = (api: TestApi, statement: SentStatement): Promise<Plan> =>
  explained(api, statement, 'analyze, buffers, timing off');

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const rowsIn = (nodes: readonly Plan[]): number =>
  nodes
    .map((node) => {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      return (node['Actual Rows'] + removed) * node['Actual Loops'];
    })
    .reduce((sum, read) => sum + Math.round(read), 0);

/** Rows that all steps of the statement read and return, together. */
export const countRowsRead = async (api: TestApi, statement: SentStatement): Promise<number> =>
  rowsIn(nodesOf(await planOf(api, statement)));

/** Rows that are read from the tables by an index, those that a filter removed included. */
export const rowsReadBy = (plan: Plan, tables: ReadonlySet<string>): number =>
  rowsIn(nodesOf(plan).filter((node) => tables.has(node['Relation Name'] ?? '') && node['Node Type'] !== 'Seq Scan'));

/** Rows that are read from the tables, those that a filter removed included. */
export const rowsReadFrom = (plan: Plan, tables: ReadonlySet<string>): number =>
  rowsIn(nodesOf(plan).filter((node) => tables.has(node['Relation Name'] ?? '')));

/** Tables, and partitions, that are read from the start to the end. */
export const tablesScannedBy = (plan: Plan): string[] =>
  nodesOf(plan).flatMap((node) => (node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []));

/** Names of tables and partitions with more rows than that. */
export const tablesLargerThan = async (api: TestApi, count: number): Promise<Set<string>> => {
  const found = await rows(
    emOf(api),
    sql<{ name: string }>`select relname::text as name from pg_class where relkind = 'r' and reltuples > ${count}`,
  );
  return new Set(found.map(({ name }) => name));
};
