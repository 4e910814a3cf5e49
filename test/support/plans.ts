import type { TestApi } from './api.ts';
import { rowsOf } from './rail-payouts.ts';
import type { SentStatement } from './statements.ts';

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const literalOf = (value: unknown): string => {
  if (value === null || typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
};

/** The statement with its values, escaped for `rowsOf`. */
const withValues = ({ text, values }: SentStatement): string =>
  text.replaceAll(/\$(\d+)/g, (_, n: string) => literalOf(values[Number(n) - 1])).replaceAll('?', '??');

const rowsReadIn = (plan: Plan): number =>
  plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, one) => sum + rowsReadIn(one), 0);

/** The plan as JSON; the statement is not executed. */
export const explain = async (api: TestApi, statement: SentStatement): Promise<string> =>
  JSON.stringify(await rowsOf(api, `explain (format json) ${withValues(statement)}`));

/** Rows that all steps of the statement read and return, together. */
export const countRowsRead = async (api: TestApi, statement: SentStatement): Promise<number> => {
  const [row] = await rowsOf(api, `explain (analyze, timing off, format json) ${withValues(statement)}`);
  return rowsReadIn(row['QUERY PLAN'][0].Plan);
};
