import { NamespaceNotFoundError, ServiceError } from '@temporalio/client';
import { causeOf, describeError, MAX_FAILURES, RouteError, retryOf } from '../../../src/temporal/relay/dispatch-failure.ts';

const grpcError = (code: number) => Object.assign(new Error(`code ${code}`), { code, details: '', metadata: {} });
const serviceError = (code: number) => new ServiceError('Failed to start Workflow', { cause: grpcError(code) });
const ALONE = { othersSucceed: false };
const AMONG_OTHERS = { othersSucceed: true };

it('tells a row that Temporal rejects from an outage', () => {
  expect(causeOf(new RouteError('No route'))).toBe('row');
  expect(causeOf(serviceError(3))).toBe('row');
  for (const code of [1, 2, 4, 5, 7, 8, 10, 12, 13, 14, 16]) expect(causeOf(serviceError(code))).toBe('outage');
  expect(causeOf(new NamespaceNotFoundError('default'))).toBe('outage');
  expect(causeOf(new TypeError('x is undefined'))).toBe('unknown');
});

it('pauses grow up to a minute; after the tenth failure a row is tried once an hour', () => {
  const pauses = Array.from({ length: MAX_FAILURES + 1 }, (_, failures) =>
    retryOf({ attempts: failures + 1, failures }, 'row', ALONE),
  );
  expect(pauses.map(({ pauseMs }) => pauseMs / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 3_600, 3_600]);
  expect(pauses.map(({ failed }) => failed)).toEqual([...Array(9).fill(false), true, true]);
});

it('an outage of any length never counts as a failure of the row', () => {
  expect(retryOf({ attempts: 5_000, failures: 0 }, 'outage', AMONG_OTHERS)).toEqual({
    failures: 0,
    pauseMs: 20_000,
    failed: false,
  });
});

it('an error of unknown cause counts only if another row of the batch succeeds', () => {
  expect(retryOf({ attempts: 1, failures: 0 }, 'unknown', ALONE)).toMatchObject({ failures: 0, pauseMs: 1_000 });
  expect(retryOf({ attempts: 1, failures: 0 }, 'unknown', AMONG_OTHERS)).toMatchObject({ failures: 1, pauseMs: 1_000 });
});

it('a row that is set apart stays so during an outage', () => {
  expect(retryOf({ attempts: 11, failures: MAX_FAILURES }, 'outage', ALONE)).toMatchObject({ failed: true, pauseMs: 3_600_000 });
});

it('the stored error names the cause', () => {
  expect(describeError(serviceError(3))).toBe('ServiceError: Failed to start Workflow (code 3)');
  expect(describeError('text')).toBe('unknown');
  expect(describeError(new Error('x'.repeat(1_000)))).toHaveLength(300);
});
