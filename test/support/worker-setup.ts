import { addEventHandler } from 'jest-circus';

/** Ends a test that hangs. How long a test takes depends on the machine and says nothing, so shorter limits are raised to these. */
const LIMIT_MS = Number(process.env['TEST_LIMIT_MS'] ?? 180_000);
/** Tests of the system suite wait for leases, timeouts and restarts. */
const SYSTEM_LIMIT_MS = 900_000;

const limitMs = (): number => (/\/test\/(chaos|system)\//.test(expect.getState().testPath ?? '') ? SYSTEM_LIMIT_MS : LIMIT_MS);

const limit = (run: () => unknown, name: string, timeoutMs: number) => async (): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Exceeded the timeout of ${timeoutMs} ms: ${name}`)), timeoutMs);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
};

// The runner itself stops no test: each test and hook gets its time limit when it is declared.
addEventHandler((event, state) => {
  if (event.name !== 'add_test' && event.name !== 'add_hook') return;
  const { tests, hooks } = state.currentDescribeBlock;
  const added = event.name === 'add_test' ? tests.at(-1) : hooks.at(-1);
  const { fn, timeout } = event;
  if (!added || !fn) return;
  if (fn.length > 0) throw new Error('Tests and hooks return a promise: the callback "done" is not supported');
  const name = event.name === 'add_test' ? event.testName : event.hookType;
  added.fn = limit(fn as () => unknown, name, Math.max(timeout ?? 0, limitMs()));
});

// The runner ends a worker by SIGTERM: its exit handlers end the processes that tests started.
for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit());
