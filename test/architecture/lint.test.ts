import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FOLDER, readText } from './project.ts';

/** Names of the lint rules that a file with this path and text violates; of our own, the first words of their message. */
const rulesBrokenBy = (path: string, text: string): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-lint-'));
  try {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    writeFileSync(join(folder, '.gitignore'), readText('.gitignore'));
    writeFileSync(join(folder, 'biome.json'), readText('biome.json').replace(/"\$schema": "[^"]*",/, ''));
    writeFileSync(join(folder, 'package.json'), readText('package.json'));
    for (const linked of ['node_modules', 'test/architecture/lint']) {
      mkdirSync(dirname(join(folder, linked)), { recursive: true });
      symlinkSync(join(FOLDER, linked), join(folder, linked));
    }
    const given = [join(FOLDER, 'node_modules/@biomejs/biome/bin/biome'), 'lint', '--reporter=github', path];
    execFileSync(process.execPath, given, { cwd: folder, stdio: 'pipe' });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: Buffer };
    const found = stdout.toString().matchAll(/title=(?:lint\/\w+\/(\w+)|plugin,.*?::(A \w+))/g);
    return [...new Set([...found].map(([, rule, own]) => rule ?? own ?? ''))].sort();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test.each(['process.pid', "Buffer.from('a')", "fetch('a')", "require('a')", 'setImmediate(String)', 'crypto.randomUUID()'])(
  'workflows may not use %s',
  (expression) => {
    expect(rulesBrokenBy('workflows/payout.ts', `export const value = [${expression}];\n`)).toContain('noRestrictedGlobals');
  },
);

test('only bin reads the environment', () => {
  const text = "export const url = process.env['DATABASE_URL'];\n";
  for (const place of ['src/config.ts', 'src/local/stack/ports.ts', 'src/domains/payouts/rail.ts', 'activities/payouts.ts']) {
    expect(rulesBrokenBy(place, text)).toEqual(['noProcessEnv']);
  }
  expect(rulesBrokenBy('bin/api.ts', text)).toEqual([]);
});

test('floating promises, any and default exports are rejected', () => {
  const text = `const work = async (): Promise<void> => {};
work();
export default (value: any): unknown => value;
`;
  expect(rulesBrokenBy('src/platform/work.ts', text)).toEqual(['noDefaultExport', 'noExplicitAny', 'noFloatingPromises']);
});

test.each([
  "import { setTimeout as sleep } from 'node:timers/promises';\nexport const nap = () => sleep(5);",
  'export const nap = () => new Promise((resolve) => setTimeout(resolve, 5));',
  'export const nap = () => new Promise((resolve) => setTimeout(resolve, 5).unref());',
  'export const nap = () => new Promise((resolve) => {\n  setTimeout(resolve, 5);\n});',
  'void setTimeout(() => process.exit(), 5);',
  "import { promisify } from 'node:util';\nexport const nap = promisify(setTimeout);",
  "import type { Page } from 'playwright-core';\nexport const nap = (page: Page) => page.waitForTimeout(5);",
])('tests may not sleep: %s', (text) => {
  expect(rulesBrokenBy('test/api/nap.test.ts', `${text}\n`)).toEqual(['A sleep']);
});

test.each([
  'const since = Date.now();\nexpect(Date.now() - since).toBeLessThan(5);',
  'const since = performance.now();\nconst tookMs = performance.now() - since;\nexpect(tookMs).toBeLessThan(5);',
  'let since = 0;\nsince = Date.now();\nconst until = Date.now();\nexpect(until - since).toBeLessThan(5);',
  'const since = process.hrtime.bigint();\nexpect(process.hrtime.bigint() - since).toBeLessThan(5n);',
])('tests may not measure durations: %s', (text) => {
  expect(rulesBrokenBy('test/api/quick.test.ts', `${text}\n`)).toEqual(['A duration']);
});

test('a timer that is cleared, a time in the past and a benchmark are neither a sleep nor a duration of a test', () => {
  const text = `const minutes = 5;
const since = Date.now();
export const timer = setTimeout(() => process.exit(), 60_000);
clearTimeout(timer);
export const past = [new Date(Date.now() - minutes * 60_000), new Date(since - minutes), Date.now() > since];
`;
  expect(rulesBrokenBy('test/api/times.test.ts', text)).toEqual([]);
  expect(rulesBrokenBy('bench/pace.bench.ts', 'const since = Date.now();\nexport const tookMs = Date.now() - since;\n')).toEqual(
    [],
  );
});
