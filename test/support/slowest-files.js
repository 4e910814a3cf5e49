import { relative } from 'node:path';

const SHOWN = 10;

/** Prints the slowest test files at the end of a run. To stderr, as Jest's own summary: stdout belongs to `--json`. */
class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= 1) return;
    const slowest = testResults
      .map(({ testFilePath, perfStats }) => ({ testFilePath, seconds: perfStats.runtime / 1_000 }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, SHOWN);
    const lines = slowest.map(
      ({ testFilePath, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative('', testFilePath)}`,
    );
    process.stderr.write(`\nSlowest test files:\n${lines.join('\n')}\n`);
  }
}

export { SlowestFiles as default };
