import { createRestarter, restartDelayMs } from '../../../src/local/stack/restarter.ts';

const restarter = (start: () => Promise<string>, signal = new AbortController().signal) => {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const restart = createRestarter({ name: 'worker', start, log, signal, logPath: 'worker.log', firstDelayMs: 0.001 });
  return { lines, restart };
};

test('T6: the pause between restarts doubles up to 30 seconds', () => {
  expect([1, 2, 3, 6, 7, 8, 1_000].map((failures) => restartDelayMs(failures))).toEqual([
    500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test('T6: a process that fails more than five times in a row is started again, and each failure says that it is degraded', async () => {
  let tries = 0;
  const { lines, restart } = restarter(async () => {
    tries += 1;
    if (tries < 9) throw new Error('no luck');
    return 'process 7';
  });
  await restart(0);
  expect(tries).toBe(9);
  expect(lines.filter((line) => line.startsWith('Degraded: worker is not running'))).toHaveLength(9);
  expect(lines.at(-2)).toMatch(
    /^Degraded: worker is not running \(9 failures in a row\)\. Starting it again in .* s\. Log: worker\.log$/,
  );
  expect(lines.at(-1)).toBe('worker restarted (process 7)');
});

test('T6: a short uptime keeps the count of failures, a long one resets it', async () => {
  const { lines, restart } = restarter(async () => 'process 7');
  await restart(100);
  await restart(100);
  expect(lines.at(-2)).toContain('(2 failures in a row)');
  await restart(60_000);
  expect(lines.at(-2)).not.toContain('in a row');
});

test('T6: a stop ends the restarts', async () => {
  const stopping = new AbortController();
  let starts = 0;
  const { restart } = restarter(async () => {
    starts++;
    stopping.abort();
    throw new Error('no luck');
  }, stopping.signal);
  await restart(0);
  expect(starts).toBe(1);
});
