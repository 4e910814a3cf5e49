import { relative } from 'node:path';

const EVERY_MS = 15_000;
const SHOWN = 10;

/**
 * Says how far a run is while it takes long, and at the end which files were slowest. To stderr, as the summary of Jest:
 * stdout belongs to `--json`.
 */
class Progress {
  #startedAt = Date.now();
  #saidAt = Date.now();

  onRunStart() {
    this.#startedAt = this.#saidAt = Date.now();
  }

  onTestResult(_test, _result, { testResults, numTotalTestSuites, numFailedTestSuites }) {
    const now = Date.now();
    if (now - this.#saidAt < EVERY_MS) return;
    this.#saidAt = now;
    const seconds = Math.round((now - this.#startedAt) / 1_000);
    const done = `${testResults.length} of ${numTotalTestSuites} files`;
    process.stderr.write(`[tests] ${done} in ${seconds} s, ${numFailedTestSuites} failed\n`);
  }

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

export { Progress as default };
