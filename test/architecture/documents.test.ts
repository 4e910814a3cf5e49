import { Validator } from '@seriousme/openapi-schema-validator';
import { documentsOf } from '../../src/api/documents.ts';
import { GUIDES } from '../../src/api/guides.ts';
import { createOpenApi } from '../../src/api/openapi.ts';
import { OPERATIONS } from '../../src/api/routes.ts';
import { adminProgram } from '../../src/cli/run-admin.ts';
import { PAYMENT_COLUMNS } from '../../src/domains/payouts/manual/payment-files.rules.ts';
import { FOLDER, filesAt, readText } from './project.ts';

test('the OpenAPI document is valid', async () => {
  const plain = JSON.parse(JSON.stringify(createOpenApi(OPERATIONS))) as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(plain);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
});

test('the generated documents are current (npm run generate)', async () => {
  const stale: string[] = [];
  for (const [path, text] of Object.entries(await documentsOf(OPERATIONS, FOLDER))) {
    if (!filesAt(path).includes(path) || readText(path) !== text) stale.push(path);
  }
  expect(stale).toEqual([]);
});

test('the guide to manual payouts lists the columns of the export in their order', () => {
  const [, table = ''] = readText('docs/guides/pay-manually.md').split('| Column | Content |');
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(Object.keys(PAYMENT_COLUMNS));
});

const PAGES = ['*.md', 'docs/**/*.md', 'src/**/README.md', 'workflows/README.md', 'activities/README.md'];

test('the title of every guide is its address on the page of the API reference, which links use', () => {
  for (const guide of GUIDES) {
    const [title = ''] = readText(`docs/guides/${guide}.md`).split('\n');
    expect(title.replace('# ', '').toLowerCase().replaceAll(' ', '-')).toBe(guide);
  }
});

test('every link between documents resolves', () => {
  const broken = filesAt(...PAGES).flatMap((page) =>
    [...readText(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => new URL(target, `file:///${page}`).pathname.slice(1))
      .filter((target) => page !== 'docs/operations.md' && filesAt(target, `${target}/*`).length === 0)
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every decision record has a context, a decision and consequences', () => {
  const records = filesAt('docs/decisions/[0-9]*.md');
  expect(records.length).toBeGreaterThan(0);
  const incomplete = records.filter(
    (path) => !['## Context', '## Decision', '## Consequences'].every((part) => readText(path).includes(part)),
  );
  expect(incomplete).toEqual([]);
});

test('every file path in a document exists', () => {
  const missing = filesAt(...PAGES)
    .filter((page) => page !== 'docs/operations.md')
    .flatMap((page) =>
      [
        ...readText(page).matchAll(
          /`((?:bin|src|workflows|activities|migrations|test|docs|bench)\/[\w./-]+\.(?:ts|js|md|json))`/g,
        ),
      ]
        .map(([, path = '']) => path)
        .filter((path) => filesAt(path).length === 0)
        .map((path) => `${page}: ${path}`),
    );
  expect(missing).toEqual([]);
});

const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

test('IN3: no column of a table is without a name: the page of the API reference drops an empty first one', () => {
  const unnamed = filesAt(...PAGES).flatMap((page) => {
    const lines = readText(page).split('\n');
    return lines
      .filter((line, row) => line.startsWith('|') && /^\|[\s:|-]*-[\s:|-]*\|$/.test(lines[row + 1] ?? ''))
      .filter((line) => cellsOf(line).includes(''))
      .map((line) => `${page}: ${line}`);
  });
  expect(unnamed).toEqual([]);
});

/** What is wrong with the words after `admin`, such as `ledger verify --json`. */
const findAdminMistake = (words: readonly string[]): string | null => {
  let command = adminProgram({});
  let at = 0;
  for (; command.commands.length > 0; at++) {
    const next = command.commands.find((one) => one.name() === words[at]);
    if (!next) return words[at]?.startsWith('--help') ? null : `there is no command ${words[at]}`;
    command = next;
  }
  const known = [...command.options.map(({ long }) => long), '--help'];
  const unknown = words.slice(at).filter((word) => /^--\w/.test(word) && !known.includes(word));
  return unknown.length === 0 ? null : `${command.name()} has no ${unknown.join(', ')}`;
};

test('every npm script and admin command in a document exists, with its options', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const mistakes: string[] = [];
  for (const page of filesAt(...PAGES)) {
    const text = readText(page).replaceAll('\\\n', ' ');
    for (const [, script = ''] of text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g))
      if (!Object.hasOwn(scripts, script)) mistakes.push(`${page}: there is no script ${script}`);
    for (const [, rest = ''] of text.matchAll(/(?:npm run (?:-s )?admin --|`admin(?: --)?|node bin\/admin\.ts) ([^`#|;)\n]*)/g)) {
      const mistake = findAdminMistake(rest.trim().split(/\s+/));
      if (mistake !== null) mistakes.push(`${page}: ${mistake}`);
    }
  }
  expect(mistakes).toEqual([]);
});
