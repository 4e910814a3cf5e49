import { filesAt, readText } from './project.ts';

/** Modules whose statements are templates as a class, see src/platform/database/README.md. */
const CLASSES = ['src/platform/', 'src/audit/', 'src/local/', 'migrations/'];

const TEMPLATE = /\bsql(?:<[^`]*?>)?`([^`]*)`/g;
const STATEMENT = /^(?:select|insert|update|delete|with)\b/;
const PLAIN = /^select 1$|\bunnest\(|\bjsonb_to_recordset\(|\bpg_(?:try_)?advisory/;
const DECLARATION = /^(?:export )?(?:async )?(?:const|function) (\w+)/gm;

const functions = new Set(
  filesAt('src/**/sql/*.sql').flatMap((path) => [...readText(path).matchAll(/function (\w+)\s*\(/g)].map(([, name]) => name)),
);

/** `select f(…)` or `select … from f(…)`, of a function in an SQL file. */
const isCall = (statement: string): boolean => {
  const [, called] = /^select (?:[^()]*? from )?(\w+)\(/s.exec(statement) ?? [];
  return called !== undefined && functions.has(called);
};

const isErasure = (text: string, at: number): boolean =>
  [...text.slice(0, at).matchAll(DECLARATION)].at(-1)?.[1]?.startsWith('erase') ?? false;

const commentsOf = (text: string): string => (text.match(/\/\*\*[\s\S]*?\*\/|\/\/.*/g) ?? []).join('\n');

/** Statements that the query builder could be asked for. */
const statementsIn = (text: string): string[] =>
  [...text.matchAll(TEMPLATE)].flatMap(({ 1: template = '', index }) => {
    const statement = template.trim();
    const isExempt = !STATEMENT.test(statement) || PLAIN.test(statement) || isCall(statement) || isErasure(text, index);
    return isExempt ? [] : [statement];
  });

test('a statement that is a template has a reason', () => {
  const unexplained = filesAt('src/**/*.ts', 'activities/**/*.ts')
    .filter((path) => !CLASSES.some((folder) => path.startsWith(folder)))
    .map((path) => ({ path, text: readText(path) }))
    .filter(({ text }) => statementsIn(text).length > 0 && !/\b(?:templates?|benchmark)\b/i.test(commentsOf(text)));
  expect(unexplained.map(({ path }) => path)).toEqual([]);
});

test('a statement without a reason is found, and one of the exempt kinds is not', () => {
  const [name = ''] = functions;
  expect(statementsIn('rows(em, sql<{ id: string }>`select id from payout`)')).toEqual(['select id from payout']);
  expect(statementsIn(`firstRow(em, sql\`select ${name}(1)\`)`)).toEqual([]);
  expect(statementsIn(`execute(em, sql\`update link l set a = n.a from unnest(\${ids}::uuid[]) as n (a)\`)`)).toEqual([]);
  expect(statementsIn('const eraseX = (ctx) =>\n  execute(em, sql`update x set name = null`)')).toEqual([]);
});
