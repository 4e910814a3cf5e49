import { createOutbound, type OutboundOptions, type SendReport } from '../../../src/platform/outbound/outbound.ts';
import { readPolicy } from '../../../src/platform/outbound/policy.ts';
import { SendFailure } from '../../../src/platform/outbound/send-failure.ts';
import { AUTHORITY } from '../../support/receiver/certificates.ts';
import { bytesOf, headerOf, type Receiver, startReceiver } from '../../support/receiver/receiver.ts';

const policy = readPolicy({ allowedPrivate: ['127.0.0.1:*'], denied: [], publicUrl: 'https://api.example.org' });
const toLoopback = async () => ['127.0.0.1'];
const body = Buffer.from('{"text":"Zoë — €5 😀\\r\\n"}');

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const post = (url: string, options: Partial<OutboundOptions> = {}): Promise<SendReport> =>
  createOutbound({
    policy,
    userAgent: 'Tributary/test',
    resolve: toLoopback,
    ca: [AUTHORITY],
    connectTimeoutMs: 500,
    totalTimeoutMs: 1_000,
    ...options,
  }).post({ url, headers: { 'content-type': 'application/json', 'webhook-id': 'abc' }, body });

const postTo = (path: string, options?: Partial<OutboundOptions>) => post(receiver.url(path), options);

describe('request', () => {
  test('one POST with the given bytes and no additional headers', async () => {
    const report = await postTo('/status/200/plain?key=value');
    expect(report).toMatchObject({ error: null, remoteIp: '127.0.0.1', tls: null, response: { status: 200, truncated: false } });
    const [request] = await receiver.received('/status/200/plain');
    if (!request) throw new Error('nothing came');
    expect(request).toMatchObject({ method: 'POST', path: '/status/200/plain?key=value' });
    expect(bytesOf(request)).toEqual(body);
    expect(Object.fromEntries(request.headers)).toEqual({
      host: `127.0.0.1:${receiver.ports.plain}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'Tributary/test',
      'accept-encoding': 'identity',
      accept: '*/*',
      'webhook-id': 'abc',
      connection: 'close',
    });
  });

  test('each attempt opens a new connection', async () => {
    const before = await receiver.connections();
    await postTo('/status/200');
    await postTo('/status/200');
    expect(await receiver.connections()).toBe(before + 2);
  });
});

describe('response', () => {
  test.each([
    ['/status/204', 204],
    ['/status/299', 299],
    ['/interim', 200],
    ['/no-content', 204],
    ['/status/500', 500],
    ['/redirect/302/http%3A%2F%2F169.254.169.254%2F', 302],
    ['/redirect/307/%2Fstatus%2F200', 307],
    ['/redirect/308/%2Fstatus%2F200', 308],
  ])('%s returns the status %i', async (path, status) => {
    const before = await receiver.connections();
    const report = await postTo(path);
    expect(report.error).toBeNull();
    expect(report.response?.status).toBe(status);
    expect(await receiver.connections()).toBe(before + 1);
  });

  test.each([
    ['/silent', 'timeout_headers'],
    ['/drip-head', 'timeout_headers'],
    ['/huge-header', 'bad_response'],
    ['/huge-reason', 'bad_response'],
    ['/huge-preamble', 'bad_response'],
    ['/noise', 'bad_response'],
    ['/interim-flood', 'bad_response'],
    ['/switching', 'bad_response'],
    ['/reset-before', 'reset'],
    ['/close-before', 'reset'],
  ])('%s is the error %s', async (path, error) => {
    const report = await postTo(path);
    expect(report).toMatchObject({ error, response: null, remoteIp: '127.0.0.1' });
  });

  test('a receiver that never reads is distinguished from one that never responds', async () => {
    const report = await createOutbound({ policy, userAgent: 't', totalTimeoutMs: 600 }).post({
      url: receiver.url('/deaf'),
      headers: {},
      body: Buffer.alloc(32 * 1024 * 1024),
    });
    expect(report.error).toBe('timeout_body');
  });

  test.each([
    ['/drip-body/200', 200],
    ['/drip-body/503', 503],
    ['/reset-after/200', 200],
    ['/wrong-length', 200],
    ['/endless/200', 200],
    ['/endless/500', 500],
    ['/gzip-bomb', 200],
    ['/huge-extension', 200],
  ])('%s: the status is %i and the body is truncated', async (path, status) => {
    const report = await postTo(path);
    expect(report).toMatchObject({ error: null, response: { status, truncated: true } });
    expect(report.response?.excerpt.length).toBeLessThanOrEqual(16_384);
  });

  test('H15: only known response headers are kept, so that a credential in any other is not stored', async () => {
    const { response } = await postTo('/cookies');
    expect(response?.headers).toEqual({ 'content-length': '10' });
    expect(JSON.stringify(response?.headers)).not.toContain('top-secret');
  });

  test('every retry-after line is kept', async () => {
    const { response } = await postTo('/retry-after/503/17');
    expect(response?.retryAfter).toEqual(['17']);
  });
});

describe('address', () => {
  const strict = readPolicy({ allowedPrivate: [], denied: [], publicUrl: 'https://api.example.org' });

  test('a name that now resolves to a private address is blocked without a connection', async () => {
    const before = await receiver.connections();
    const report = await post(`https://hooks.example.com:${receiver.ports.good}/status/200`, { policy: strict });
    expect(report).toMatchObject({ error: 'blocked_address', response: null, remoteIp: null });
    expect(await receiver.connections()).toBe(before);
  });

  test('one private address among public ones blocks them all', async () => {
    const report = await post('https://hooks.example.com/', { resolve: async () => ['1.1.1.1', '10.0.0.1'], policy: strict });
    expect(report).toMatchObject({ error: 'blocked_address', remoteIp: null });
  });

  test('a stored URL that the policy no longer allows is blocked', async () => {
    const before = await receiver.connections();
    expect((await post(receiver.url('/status/200'), { policy: strict })).error).toBe('blocked_address');
    expect(await receiver.connections()).toBe(before);
  });

  test('the name is resolved once per attempt, and the vetted address is connected to', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const report = await post(`https://hooks.example.com:${receiver.ports.good}/status/200`, { resolve });
    expect(report).toMatchObject({ error: null, remoteIp: '127.0.0.1' });
    expect(asked).toBe(1);
  });

  test('an unreachable address is skipped for the next one', async () => {
    const both = readPolicy({
      allowedPrivate: ['127.0.0.1:*', '127.0.0.9:*'],
      denied: [],
      publicUrl: 'https://a.example.org',
    });
    const report = await post(`https://hooks.example.com:${receiver.ports.good}/status/200`, {
      policy: both,
      resolve: async () => ['127.0.0.9', '127.0.0.1'],
    });
    expect(report).toMatchObject({ error: null, remoteIp: '127.0.0.1' });
  });

  test.each(['dns_not_found', 'dns_timeout'] as const)('%s is reported as such', async (code) => {
    const resolve = async () => Promise.reject(new SendFailure(code));
    expect((await post('https://hooks.example.com/', { resolve })).error).toBe(code);
  });

  test('an unresponsive name server does not block the attempt', async () => {
    const report = await post('https://hooks.example.com/', { resolve: () => new Promise(() => {}) });
    expect(report.error).toBe('dns_timeout');
  });

  test('a closed port is connect_refused', async () => {
    expect((await post('http://127.0.0.1:1/')).error).toBe('connect_refused');
  });
});

describe('TLS', () => {
  // Handshakes take CPU time: a busy machine must not turn one into a timeout.
  const at = (port: keyof Receiver['ports']) =>
    post(`https://hooks.example.com:${receiver.ports[port]}/status/200/tls`, { connectTimeoutMs: 5_000, totalTimeoutMs: 10_000 });

  test('the certificate is checked against the name of the URL', async () => {
    expect(await at('good')).toMatchObject({ error: null, tls: 'TLSv1.3', response: { status: 200 } });
    const [request] = await receiver.received('/status/200/tls');
    expect(request && headerOf(request, 'host')).toBe(`hooks.example.com:${receiver.ports.good}`);
  });

  test.each([
    ['expired', 'tls_expired'],
    ['other', 'tls_name'],
    ['self', 'tls_invalid'],
    ['old', 'tls_invalid'],
    ['plain', 'tls_timeout'],
    ['mute', 'tls_timeout'],
  ] as const)('%s: %s, and nothing of the message is sent', async (port, error) => {
    const before = (await receiver.received('')).length;
    expect(await at(port)).toMatchObject({ error, response: null, remoteIp: '127.0.0.1' });
    expect((await receiver.received('')).length).toBe(before);
  });

  test('an unknown certificate authority is not trusted', async () => {
    const report = await createOutbound({ policy, userAgent: 't', resolve: toLoopback }).post({
      url: `https://hooks.example.com:${receiver.ports.good}/`,
      headers: {},
      body,
    });
    expect(report.error).toBe('tls_invalid');
  });
});
