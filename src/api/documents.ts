import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Operation } from '../platform/http/operation.ts';
import { createOpenApi, idempotencyOf, keysOf, scopeText } from './openapi.ts';

/** Where an operation is declared, and where it is proven. Paths from the project's folder. */
export interface OperationFiles {
  file: string;
  test: string;
}

const DECLARED = /\bid: '(\w+)',\s*method:/g;

const kebab = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The domain, or the name of a route file outside the domains. */
const testFolderOf = (file: string): string =>
  (/^src\/domains\/([\w-]+)\//.exec(file) ?? /([\w-]+)\.routes\.ts$/.exec(file) ?? [])[1] ?? '';

/** By operation id, read from the text of all route files: the table itself does not know its files. */
export const findOperationFiles = async (folder: string): Promise<Map<string, OperationFiles>> => {
  const places = new Map<string, OperationFiles>();
  for (const file of globSync('src/**/*.routes.ts', { cwd: folder }).sort()) {
    for (const [, id = ''] of (await readFile(join(folder, file), 'utf8')).matchAll(DECLARED)) {
      places.set(id, { file, test: `test/api/${testFolderOf(file)}/${kebab(id)}.test.ts` });
    }
  }
  return places;
};

const rowOf = (op: Operation, place: OperationFiles | undefined): string => {
  const { file = '', test = '' } = place ?? {};
  const cells = [
    op.method,
    `\`${op.path}\``,
    `[${op.id}](../${file})`,
    keysOf(op),
    scopeText(op),
    idempotencyOf(op),
    `[test](../${test})`,
  ];
  return `| ${cells.join(' | ')} |`;
};

const operationsPage = (operations: readonly Operation[], places: ReadonlyMap<string, OperationFiles>): string =>
  [
    '# Operations',
    '',
    'Made by `npm run generate` from the operation table (`src/api/routes.ts`): change a route, not this page. All paths are',
    'below `/api/v1`. *Repeats*: `safe` changes nothing, `by key` needs an `Idempotency-Key`, `by nature` ends in the same state.',
    ...[...Map.groupBy(operations, (op) => op.tag)].flatMap(([tag, group]) => [
      '',
      `## ${tag}`,
      '',
      '| Method | Path | Operation | Keys | Scope | Repeats | Proof |',
      '|---|---|---|---|---|---|---|',
      ...group.map((op) => rowOf(op, places.get(op.id))),
    ]),
    '',
  ].join('\n');

/** The generated documents, by path: what `npm run generate` writes and what the architecture test compares. */
export const documentsOf = async (operations: readonly Operation[], folder: string): Promise<Record<string, string>> => ({
  'docs/openapi.json': `${JSON.stringify(createOpenApi(operations), null, 2)}\n`,
  'docs/operations.md': operationsPage(operations, await findOperationFiles(folder)),
});
