import { loadModule, parsePlPgSQLSync } from 'libpg-query';
import { runSql } from '../../src/local/stack/sql.ts';

await loadModule();

/** The tree of a function: statements, expressions and variables, each an object with its kind as the only key. */
type Node = { readonly [key: string]: unknown };

interface Variable {
  name: string;
  type: string;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every node of a kind below another, in the order of the text. */
const nodesOf = (value: unknown, kinds: readonly string[]): Node[] => {
  if (Array.isArray(value)) return value.flatMap((item) => nodesOf(item, kinds));
  if (!isNode(value)) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    kinds.includes(key) && isNode(child) ? [{ ...child, kind: key }, ...nodesOf(child, kinds)] : nodesOf(child, kinds),
  );
};

/** The mode of the parser is 0 for a statement, 2 for an expression, 3 and more for an assignment. */
const statementOf = (expression: Node): string => {
  const query = String(expression['query']);
  if (!expression['parseMode']) return query;
  return `select (${expression['parseMode'] === 2 ? query : query.replace(/^[^=]*?:?=/, '')})`;
};

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const recordTypeOf = (name: string): string => `pg_temp.record_${name}`;

/** Records have the columns of the query that fills them: a view of it. */
const viewOf = (name: string, query: string, variables: readonly Variable[], records: readonly Variable[]): string => {
  const columns = variables.map(({ name, type }) => `null::${type} as "${name}"`).join(', ');
  const tables = records.map(({ name, type }) => ` cross join ${type} as "${name}"`).join('');
  return `create view ${recordTypeOf(name)} as select filled.* from (select ${columns}) as variables${tables} cross join lateral (${query}) as filled`;
};

/** A function in SQL, whose body is analyzed when it is created. Its name and parameters are those of the function in PL/pgSQL. */
const functionOf = (name: string, statement: string, variables: readonly Variable[]): string =>
  `create or replace function pg_temp.${name}(${variables.map((variable) => `"${variable.name}" ${variable.type}`).join(', ')})
     returns void language sql as ${literal(statement)}`;

/** `known` has the types of parameters, and of the rows that a trigger has. */
const checksOf = (name: string, tree: unknown, known: ReadonlyMap<string, string>): string[] => {
  const declared = nodesOf(isNode(tree) ? tree['datums'] : [], ['PLpgSQL_var', 'PLpgSQL_rec']).map((node) => {
    const [type] = nodesOf(node['datatype'], ['PLpgSQL_type']);
    const variable = String(node['refname']);
    return { name: variable, type: known.get(variable) ?? String(type?.['typname'] ?? 'record'), kind: node['kind'] };
  });
  // A function may declare a variable of its own with the name of one that every function has, such as "found".
  const last = declared.filter(({ name }, at) => !declared.slice(at + 1).some((later) => later.name === name));
  const scalars = last.filter(({ kind }) => kind === 'PLpgSQL_var');
  const records: Variable[] = last.filter(({ kind, type }) => kind === 'PLpgSQL_rec' && type !== 'record');
  const checks: string[] = [];
  for (const node of nodesOf(tree, ['PLpgSQL_stmt_execsql', 'PLpgSQL_stmt_fors', 'PLpgSQL_expr'])) {
    if (node['kind'] === 'PLpgSQL_expr') {
      checks.push(functionOf(name, statementOf(node), [...scalars, ...records]));
      continue;
    }
    const [record] = nodesOf(node['target'] ?? node['var'], ['PLpgSQL_rec']);
    const [filling] = nodesOf(node['sqlstmt'] ?? node['query'], ['PLpgSQL_expr']);
    const filled = String(record?.['refname']);
    if (!record || !filling || records.some((known) => known.name === filled)) continue;
    checks.push(viewOf(filled, String(filling['query']), scalars, records));
    records.push({ name: filled, type: recordTypeOf(filled) });
  }
  return checks;
};

/** Types of the parameters by name, for each table that has the function as its trigger. */
const findTypes = async (databaseUrl: string, name: string): Promise<Map<string, string>[]> => {
  const parameters = await runSql(
    databaseUrl,
    `select argument.name, format_type(argument.type, null) as type from pg_proc p,
        unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) as argument (name, type)
      where p.proname = '${name}' and p.pronamespace = 'public'::regnamespace`,
  );
  const tables = await runSql(
    databaseUrl,
    `select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where p.proname = '${name}' and t.tgparentid = 0`,
  );
  const types = parameters.map((row): [string, string] => [String(row['name']), String(row['type'])]);
  if (tables.length === 0) return [new Map(types)];
  return tables.map((table) => new Map([...types, ['new', String(table['name'])], ['old', String(table['name'])]]));
};

/** Runs statements, and returns what is wrong with each. */
const TRY = `create function pg_temp.try(statement text) returns text language plpgsql as $$
  begin execute statement; return null; exception when others then return sqlerrm; end $$`;

/**
 * Names of tables, columns, functions and variables that the statements of functions in PL/pgSQL use and that do not exist, and values
 * of wrong types. Postgres itself notices them when a statement runs first. What `execute` runs is not checked.
 */
export const findPlpgsqlProblems = async (databaseUrl: string, sqlText: string): Promise<string[]> => {
  const names = [...sqlText.matchAll(/^create (?:or replace )?function (\w+)/gm)].map(([, name = '']) => name);
  const { plpgsql_funcs: trees } = parsePlPgSQLSync(sqlText) as { plpgsql_funcs: Node[] };
  const problems: string[] = [];
  for (const [at, name] of names.entries()) {
    const found: (string | null)[][] = [];
    for (const types of await findTypes(databaseUrl, name)) {
      const checks = checksOf(name, trees[at]?.['PLpgSQL_function'], types).map((check) => `pg_temp.try(${literal(check)})`);
      const results = await runSql(databaseUrl, TRY, `select unnest(array[${checks.join(', ')}]::text[]) as problem`);
      found.push(results.map(({ problem }) => problem as string | null));
    }
    // A trigger of several tables may have a branch for some of them.
    const everywhere = found[0]?.filter((_, check) => found.every((results) => results[check] !== null)) ?? [];
    problems.push(...everywhere.map((problem) => `${name}: ${problem}`));
  }
  return [...new Set(problems)];
};
