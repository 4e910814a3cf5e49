import { classifyAttempt } from '../../../src/domains/webhooks/deliveries/classify-attempt.rules.ts';
import type { SendReport } from '../../../src/platform/outbound/outbound.ts';

const now = new Date();
const silent: SendReport = {
  response: null,
  error: 'reset',
  remoteIp: null,
  tls: null,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 },
};
const answered = (status: number, retryAfter: string[] = []): SendReport => ({
  ...silent,
  error: null,
  response: { status, headers: {}, retryAfter, excerpt: Buffer.from('{"error":true}'), truncated: true },
});

describe('the outcome of an attempt', () => {
  test.each([200, 201, 202, 204, 206, 299])('%i is a success, whatever the body', (status) => {
    expect(classifyAttempt(answered(status, ['60']), now)).toEqual({ succeeded: true, error: null, minWaitMs: 0 });
  });

  test.each([
    [300, 'http_3xx'],
    [302, 'http_3xx'],
    [399, 'http_3xx'],
    [400, 'http_4xx'],
    [401, 'http_4xx'],
    [404, 'http_4xx'],
    [409, 'http_4xx'],
    [429, 'http_4xx'],
    [410, 'gone'],
    [500, 'http_5xx'],
    [503, 'http_5xx'],
    [599, 'http_5xx'],
    [600, 'bad_response'],
    [999, 'bad_response'],
  ] as const)('%i is the failure %s', (status, error) => {
    expect(classifyAttempt(answered(status), now)).toMatchObject({ succeeded: false, error });
  });

  test('Retry-After applies to every failure', () => {
    expect(classifyAttempt(answered(404, ['7']), now).minWaitMs).toBe(7_000);
    expect(classifyAttempt(answered(503, ['7']), now).minWaitMs).toBe(7_000);
  });

  test('without a response, the error of the request applies', () => {
    expect(classifyAttempt(silent, now)).toEqual({ succeeded: false, error: 'reset', minWaitMs: 0 });
  });
});
