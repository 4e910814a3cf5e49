import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../support/run-program.ts';

const FOLDER = fileURLToPath(new URL('../../bench/', import.meta.url));
const SUFFIX = '.bench.ts';
const BENCHMARKS = readdirSync(FOLDER)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length));
const LIMIT_MS = 240_000;

// Whatever the ratios: other tests run on the same cores.
it.each(BENCHMARKS)('%s runs and reports its figures', async (name) => {
  const { code, out, err } = await runProgram(['bench/run.ts', name, '--quick'], process.env, { timeoutMs: LIMIT_MS });
  expect({ code, err }).toMatchObject({ code: 0 });
  const figures = out.trim().split('\n');
  for (const line of figures) {
    const { name: row, ours, anchor, ratio } = JSON.parse(line);
    expect(row).toMatch(/^P\d+$/);
    for (const figure of [ours, anchor, ratio]) expect(figure).toBeGreaterThan(0);
  }
});
