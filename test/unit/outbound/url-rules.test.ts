import { readPolicy } from '../../../src/platform/outbound/policy.ts';
import { SendFailure } from '../../../src/platform/outbound/send-failure.ts';
import { mayDial, readTarget } from '../../../src/platform/outbound/url-rules.ts';
import { validateUrl } from '../../../src/platform/outbound/validate-url.ts';

const strict = readPolicy({ allowedPrivate: [], denied: [], publicUrl: 'https://api.tributary.example.com' });
const local = readPolicy({
  allowedPrivate: ['127.0.0.1:*', '10.0.0.7:8080', '[::1]:9000'],
  denied: ['127.0.0.1:5999'],
  publicUrl: 'http://127.0.0.1:3000',
});

const ruleOf = (policy: typeof strict, url: string): string | null => {
  const read = readTarget(policy, url);
  return 'broken' in read ? read.broken : null;
};

describe('URLs, with no private address allowed', () => {
  test.each([
    ['https://hooks.example.com/a?b=c', null],
    ['https://hooks.example.com.:8443/', null],
    ['https://hooks.example.com:10000/', null],
    ['https://1.1.1.1/', null],
    ['https://[2606:4700::1]/', null],
    ['https://пример.example.com/', null],
    ['http://hooks.example.com/', 'https_required'],
    ['ftp://hooks.example.com/', 'https_required'],
    ['file:///etc/passwd', 'https_required'],
    ['javascript:alert(1)', 'https_required'],
    ['hooks.example.com', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://exa mple.com/', 'invalid_url'],
    ['https://hooks.example.com/\nx', 'invalid_url'],
    ['https://hooks.example.com/\tx', 'invalid_url'],
    [' https://hooks.example.com/', 'invalid_url'],
    ['https://hooks.example.com:65536/', 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 'invalid_url'],
    ['https://user@hooks.example.com/', 'user_info'],
    ['https://user:pass@hooks.example.com/', 'user_info'],
    ['https://hooks.example.com/#part', 'fragment'],
    ['https://hooks.example.com/#', 'fragment'],
    ['https://hooks.example.com:22/', 'blocked_port'],
    ['https://hooks.example.com:25/', 'blocked_port'],
    ['https://hooks.example.com:80/', 'blocked_port'],
    ['https://hooks.example.com:6379/', 'blocked_port'],
    ['https://hooks.example.com:5432/', 'blocked_port'],
    ['https://hooks.example.com:7233/', 'blocked_port'],
    ['https://hooks.example.com:0/', 'blocked_port'],
    ['https://1.1.1.1:9200/', 'blocked_port'],
    ['https://localhost/', 'blocked_address'],
    ['https://localhost./', 'blocked_address'],
    ['https://LOCALHOST/', 'blocked_address'],
    ['https://a.localhost/', 'blocked_host'],
    ['https://intranet/', 'blocked_host'],
    ['https://printer.local/', 'blocked_host'],
    ['https://metadata.google.internal/', 'blocked_host'],
    ['https://router.home.arpa/', 'blocked_host'],
    ['https://127.0.0.1/', 'blocked_address'],
    ['https://127.0.0.1./', 'blocked_address'],
    ['https://2130706433/', 'blocked_address'],
    ['https://0x7f000001/', 'blocked_address'],
    ['https://0x7f.1/', 'blocked_address'],
    ['https://0177.0.0.1/', 'blocked_address'],
    ['https://127.1/', 'blocked_address'],
    ['https://0/', 'blocked_address'],
    ['https://１２７.0.0.1/', 'blocked_address'],
    ['https://①②⑦.0.0.1/', 'blocked_address'],
    ['https://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://[::1]/', 'blocked_address'],
    ['https://[::ffff:7f00:1]/', 'blocked_address'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'blocked_address'],
    ['https://[2002:7f00:1::]/', 'blocked_address'],
    ['https://[fd00:ec2::254]/', 'blocked_address'],
    ['https://api.tributary.example.com/', 'own_host'],
    ['https://API.tributary.example.com.:8443/', 'own_host'],
    ['https://api.tributary.example.com../', 'own_host'],
    ['https://printer.local../', 'blocked_host'],
    ['https://127.0.0.1../', 'blocked_address'],
  ])('%s: %s', (url, rule) => {
    expect(ruleOf(strict, url)).toBe(rule);
  });
});

describe('URLs, with some private addresses allowed', () => {
  test.each([
    ['http://127.0.0.1:4000/hook', null],
    ['http://localhost:4000/hook', null],
    ['http://127.0.0.1/', null],
    ['http://10.0.0.7:8080/', null],
    ['http://[::1]:9000/', null],
    ['http://[::ffff:127.0.0.1]:4000/', null],
    ['http://127.0.0.1:5999/', 'blocked_address'],
    ['http://localhost:5999/', 'blocked_address'],
    ['http://[::ffff:127.0.0.1]:5999/', 'blocked_address'],
    ['http://127.0.0.1:3000/', 'own_host'],
    ['http://127.0.0.2:4000/', 'blocked_address'],
    ['http://10.0.0.7:8081/', 'blocked_address'],
    ['http://[::1]:9001/', 'blocked_address'],
    ['http://user@127.0.0.1:4000/', 'user_info'],
    ['http://1.1.1.1:4000/', 'https_required'],
  ])('%s: %s', (url, rule) => {
    expect(ruleOf(local, url)).toBe(rule);
  });

  test('a malformed entry throws', () => {
    for (const pair of ['127.0.0.1', 'localhost:80', '127.0.0.1:', '127.0.0.1:x', '10.0.0.0/8:80']) {
      expect(() => readPolicy({ allowedPrivate: [pair], denied: [], publicUrl: 'http://a.example.com' })).toThrow('address:port');
    }
  });
});

describe('resolved names', () => {
  const answering = (addresses: string[]) => async () => addresses;

  test.each([
    [['1.1.1.1'], null],
    [['1.1.1.1', '2606:4700::1'], null],
    [['127.0.0.1'], 'blocked_address'],
    [['1.1.1.1', '10.0.0.1'], 'blocked_address'],
    [['2606:4700::1', '::ffff:169.254.169.254'], 'blocked_address'],
    [[], null],
  ])('%j: %s', async (addresses, rule) => {
    expect(await validateUrl(strict, 'https://hooks.example.com/', answering(addresses))).toBe(rule);
  });

  test('a name that cannot be resolved now passes, also when nothing answers', async () => {
    const absent = async () => Promise.reject(new SendFailure('dns_not_found'));
    expect(await validateUrl(strict, 'https://hooks.example.com/', absent)).toBeNull();
    expect(await validateUrl(strict, 'https://hooks.example.com/', () => new Promise(() => {}))).toBeNull();
  });

  test('a name that resolves to an allowed private address still needs https', () => {
    expect(ruleOf(local, 'http://hooks.example.com/')).toBe('https_required');
    const target = readTarget(local, 'https://hooks.example.com:4000/');
    if ('broken' in target) throw new Error('rejected');
    expect(mayDial(local, target, ['127.0.0.1'])).toBe(true);
    expect(mayDial(local, target, ['127.0.0.1', '127.0.0.2'])).toBe(false);
    expect(mayDial(local, target, [])).toBe(false);
  });
});
