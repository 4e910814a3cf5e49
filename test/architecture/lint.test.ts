import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FOLDER, readText } from './project.ts';

/** Names of the lint rules that a file with this path and text violates. */
const rulesBrokenBy = (path: string, text: string): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-lint-'));
  try {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    writeFileSync(join(folder, '.gitignore'), readText('.gitignore'));
    writeFileSync(join(folder, 'biome.json'), readText('biome.json').replace(/"\$schema": "[^"]*",/, ''));
    writeFileSync(join(folder, 'package.json'), readText('package.json'));
    symlinkSync(join(FOLDER, 'node_modules'), join(folder, 'node_modules'));
    const given = [join(FOLDER, 'node_modules/@biomejs/biome/bin/biome'), 'lint', '--reporter=github', path];
    execFileSync(process.execPath, given, { cwd: folder, stdio: 'pipe' });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: Buffer };
    return [...new Set([...stdout.toString().matchAll(/title=lint\/\w+\/(\w+)/g)].map(([, rule = '']) => rule))].sort();
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
