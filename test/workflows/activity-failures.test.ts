import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { translated } from '../../activities/support/failures.ts';
import { startHeartbeats } from '../../activities/support/heartbeats.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { AppError } from '../../src/platform/errors.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { useTestApi } from '../support/api.ts';
import { unique } from '../support/factories.ts';
import { pause, until } from '../support/until.ts';

const api = useTestApi();

/** The lines that a logger writes to standard output, which is where an operator reads them. */
const linesOf = async (work: (log: Logger) => Promise<void>): Promise<string[]> => {
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', process: 'test' });
  const streamKey = Object.getOwnPropertySymbols(log).find((symbol) => symbol.description === 'pino.stream');
  if (!streamKey) throw new Error('pino has no stream');
  Object.assign(log, { [streamKey]: { write: (line: string) => lines.push(line) } });
  await work(log);
  return lines;
};

const failureOf = async (log: Logger, activity: () => Promise<unknown>): Promise<unknown> => {
  const { fail } = translated(() => log, { fail: activity });
  return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => {}) }).run(fail).then(
    () => null,
    (error: unknown) => error,
  );
};

test('W8: a database fault names its SQLSTATE and constraint in the log and the history, without values', async () => {
  const email = `secret-${unique()}@example.com`;
  const insert = () =>
    rows(
      api.runtime.context({ kind: 'system', name: 'test' }).em,
      sql`insert into affiliate_profile (id, user_id, email, created_at, updated_at)
        values (gen_random_uuid(), gen_random_uuid(), ${email}, now(), now())`,
    );
  await insert();
  let failure: unknown;
  const [line = '{}', ...more] = await linesOf(async (log) => {
    failure = await failureOf(log, insert);
  });
  expect(more).toEqual([]);
  expect(JSON.parse(line)).toMatchObject({
    msg: 'activity failed',
    err: {
      code: '23505',
      constraint: 'affiliate_profile_email',
      message: expect.stringContaining('duplicate key value violates unique constraint'),
      stack: expect.stringContaining('    at '),
    },
    attempt: 1,
    activity: expect.any(String),
    workflowId: expect.any(String),
  });
  expect(failure).toMatchObject({
    nonRetryable: false,
    message: expect.stringContaining('(DatabaseError, 23505, constraint affiliate_profile_email)'),
  });
  expect(line + JSON.stringify(failure) + String(failure)).not.toContain(email);
});

test('W8: a fault of the program is logged with its message and stored without it', async () => {
  let failure: unknown;
  const lines = await linesOf(async (log) => {
    failure = await failureOf(log, () => Promise.reject(new TypeError('ada@example.com is not a function')));
  });
  expect(lines).toHaveLength(1);
  expect(failure).toMatchObject({ type: 'TypeError', message: 'The activity failed and will be retried (TypeError)' });
});

test('W8: an expected error is not logged as a fault', async () => {
  const lines = await linesOf(async (log) => {
    expect(await failureOf(log, () => Promise.reject(new AppError('NOT_FOUND', 'Payout not found')))).toMatchObject({
      nonRetryable: true,
      type: 'NOT_FOUND',
    });
  });
  expect(lines).toEqual([]);
});

test('W17: a step reports that it is alive until it ends, and a short one reports nothing', async () => {
  let heartbeats = 0;
  const run = async (work: () => Promise<unknown>): Promise<number> => {
    heartbeats = 0;
    const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => {}) });
    environment.on('heartbeat', () => heartbeats++);
    await environment.run(async () => {
      const stop = startHeartbeats(20);
      await work();
      stop();
    });
    const sent = heartbeats;
    await pause(60, 'a heartbeat of a step that has ended would come');
    expect(heartbeats).toBe(sent);
    return sent;
  };
  const twice = () => until('the step has reported twice', () => heartbeats >= 2);
  expect(await run(twice)).toBeGreaterThanOrEqual(2);
  expect(await run(async () => {})).toBe(0);
});
