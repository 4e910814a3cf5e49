import { connect } from 'node:net';
import { openTestApi, type TestApi } from '../../support/api.ts';
import { makeKey, makeMerchant, makeProgram, makeAffiliate } from '../../support/factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
const say = (...x: unknown[]) => process.stderr.write(`PROBE ${x.map((y) => (typeof y === 'string' ? y : JSON.stringify(y))).join(' ')}\n`);

test('probe', async () => {
  const m = await makeMerchant(api.runtime);
  const other = await makeKey(api.runtime, { ownerId: m.merchantId });
  const inj = async (opts: any) => {
    const r = await api.app.inject(opts);
    return `${r.statusCode} ${r.body.slice(0, 300)} rl=${r.headers['x-ratelimit-limit']} rid=${r.headers['x-request-id']}`;
  };
  say('encoded prefix', await inj({ method: 'DELETE', url: `/%61pi/v1/auth/keys/${other.keyId}`, remoteAddress: '127.9.1.1' }));
  say('encoded me', await inj({ method: 'GET', url: `/%61pi/v1/me`, remoteAddress: '127.9.1.1' }));
  say('encoded webhook', await inj({ method: 'POST', url: `/api%2Fv1/webhooks`, remoteAddress: '127.9.1.1' }));
  say('absolute', await inj({ method: 'GET', url: `http://x/api/v1/me`, remoteAddress: '127.9.1.1' }));
  const auth = { authorization: `Bearer ${m.key}` };
  say('unknown+text', await inj({ method: 'POST', url: `/api/v1/nope`, headers: { ...auth, 'content-type': 'text/plain' }, payload: 'x' }));
  say('unknown+badjson', await inj({ method: 'POST', url: `/api/v1/nope`, headers: { ...auth, 'content-type': 'application/json' }, payload: '{' }));
  say('bad pct', await inj({ method: 'GET', url: `/api/v1/programs/%zz`, headers: auth }));
  say('long param', await inj({ method: 'GET', url: `/api/v1/programs/${'a'.repeat(300)}`, headers: auth }));
  say('HEAD', await inj({ method: 'HEAD', url: `/api/v1/me`, headers: auth }));
  say('HEAD anon', await inj({ method: 'HEAD', url: `/api/v1/me`, remoteAddress: '127.9.1.2' }));
  say('OPTIONS', await inj({ method: 'OPTIONS', url: `/api/v1/me`, headers: auth }));
  say('PROPFIND', await inj({ method: 'PROPFIND', url: `/api/v1/me`, headers: auth }));
  say('jsonx', await inj({ method: 'POST', url: `/api/v1/programs`, headers: { ...auth, 'content-type': 'application/jsonx' }, payload: '{}' }));
  say('json+charset', await inj({ method: 'POST', url: `/api/v1/programs`, headers: { ...auth, 'content-type': 'application/json; charset=utf-8' }, payload: '{}' }));
  say('no ct', await inj({ method: 'POST', url: `/api/v1/programs`, headers: { ...auth }, payload: Buffer.from('{}') }));
  say('deep', await inj({ method: 'POST', url: `/api/v1/programs`, headers: { ...auth, 'content-type': 'application/json' }, payload: '['.repeat(500000) + ']'.repeat(500000) }));
  say('deep field', await inj({ method: 'POST', url: `/api/v1/programs`, headers: { ...auth, 'content-type': 'application/json' }, payload: `{"name":${'{"a":'.repeat(100000)}1${'}'.repeat(100000)}}` }));
  say('proto', await inj({ method: 'POST', url: `/api/v1/programs`, headers: { ...auth, 'content-type': 'application/json' }, payload: '{"__proto__":{"x":1}}' }));
  say('search nul', await inj({ method: 'GET', url: `/api/v1/affiliates?search=a%00b`, headers: auth }));
  say('upper id', await (async () => { const p = await makeProgram(api, m.key); return inj({ method: 'GET', url: `/api/v1/programs/${p.programId.toUpperCase()}`, headers: auth }); })());
  const p = await makeProgram(api, m.key); const a = await makeAffiliate(api.runtime, p.programId);
  say('upper body', await inj({ method: 'POST', url: `/api/v1/payouts`, headers: { ...auth, 'content-type': 'application/json' }, payload: JSON.stringify({ affiliateId: a.affiliateId.toUpperCase(), programId: p.programId.toUpperCase() }) }));
});

const rawHttp = (port: number, text: string) => new Promise<string>((resolve) => {
  let got = '';
  const s = connect(port, '127.0.0.1', () => s.write(text));
  s.on('data', (d) => { got += d; });
  s.on('close', () => resolve(got));
  s.on('error', () => resolve(got));
  setTimeout(() => s.destroy(), 1500);
});

test('sockets', async () => {
  const m = await makeMerchant(api.runtime);
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const port = (api.app.server.address() as any).port;
  say('garbage', await rawHttp(port, 'FOO BAR\r\n\r\n'));
  say('hdr overflow', (await rawHttp(port, `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20000)}\r\n\r\n`)));
  say('nohost', await rawHttp(port, 'GET /api/v1/me HTTP/1.1\r\n\r\n'));
  say('expect', await rawHttp(port, 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n'));
  say('upgrade', await rawHttp(port, 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'));
  say('connect', await rawHttp(port, 'CONNECT /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n'));
  say('get body', await rawHttp(port, `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${m.key}\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{"a":`));
  say('bad clen', await rawHttp(port, `POST /api/v1/programs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${m.key}\r\nContent-Type: application/json\r\nContent-Length: abc\r\n\r\n{"a":`));
  // aborted requests
  let done = 0;
  api.app.addHook;
  const before = await rawHttp(port, `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${m.key}\r\n\r\n`);
  say('before', before.slice(0, 15));
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 20 }, () => new Promise<void>((resolve) => {
      const s = connect(port, '127.0.0.1', () => {
        s.write(`GET /api/v1/payouts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${m.key}\r\n\r\n`);
        setTimeout(() => { s.resetAndDestroy(); resolve(); }, Math.random() * 6);
      });
      s.on('error', () => {});
    })));
  }
  await new Promise((r) => setTimeout(r, 1000));
  say('after aborts', (await rawHttp(port, `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${m.key}\r\n\r\n`)).slice(0, 15), done);
}, 60000);
