import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Benchmarks by the row they measure: `p1-list.ts` is P1. Programs beside them are named for what they are. */
const files = globSync('p[0-9]*-*.ts', { cwd: import.meta.dirname })
  .filter((file) => !/-(anchor|workflows)\.ts$/.test(file))
  .sort((a, b) => numberOf(a) - numberOf(b));

function numberOf(file: string): number {
  return Number(/\d+/.exec(basename(file))?.[0]);
}

const given = process.argv.slice(2);
const wanted = given.filter((word) => /^p\d+$/i.test(word)).map((word) => Number(word.slice(1)));
const unknown = wanted.filter((number) => !files.some((file) => numberOf(file) === number));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no P${unknown.join(', P')}: there are ${files.map((file) => `P${numberOf(file)}`).join(', ')}\n`,
  );
  process.exit(2);
}
const chosen = files.filter((file) => wanted.length === 0 || wanted.includes(numberOf(file)));
const flags = given.filter((word) => !/^p\d+$/i.test(word));

let failed = 0;
for (const [at, file] of chosen.entries()) {
  process.stderr.write(`[${at + 1}/${chosen.length}] ${basename(file, '.ts')}\n`);
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...flags], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) failed++;
}
// A missed floor fails the build of a release, and so does a benchmark that did not run.
process.exitCode = failed === 0 ? 0 : 1;
