import { createServer, connect, type Socket } from 'node:net';
import { openTestApi, testConfig, type TestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { openRuntime } from '../../../src/runtime.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
const say = (...x: unknown[]) => process.stderr.write(`PROBE ${x.map((y) => (typeof y === 'string' ? y : JSON.stringify(y))).join(' ')}\n`);
const system = { kind: 'system', name: 'test' } as const;

const freezer = async (url: string) => {
  const target = new URL(url);
  let frozen = false; const pairs: [Socket, Socket][] = [];
  const server = createServer((a) => {
    const b = connect(Number(target.port), target.hostname);
    pairs.push([a, b]); a.on('error', () => b.destroy()); b.on('error', () => a.destroy());
    a.pipe(b); b.pipe(a);
    if (frozen) { a.pause(); b.pause(); a.unpipe(); b.unpipe(); }
  });
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', r));
  const out = new URL(url); out.port = String((server.address() as any).port);
  return { url: out.href, freeze() { frozen = true; for (const [a, b] of pairs) { a.unpipe(); b.unpipe(); a.pause(); b.pause(); } },
    thaw() { frozen = false; for (const [a, b] of pairs) { a.pipe(b); b.pipe(a); } },
    close() { for (const [a, b] of pairs) { a.destroy(); b.destroy(); } server.close(); } };
};

test('killed backends', async () => {
  const rt = await openRuntime(testConfig(api.runtime.config.DATABASE_URL), 'x');
  for (let i = 0; i < 14; i++) {
    const at = Date.now();
    const outcome = await inTransaction(rt.context(system), async (ctx) => {
      const me = await firstRow(ctx.em, sql<{ pid: number }>`select pg_backend_pid() as pid`);
      await execute(api.runtime.context(system).em, sql`select pg_terminate_backend(${me?.pid})`);
      await new Promise((r) => setTimeout(r, 20));
      await firstRow(ctx.em, sql`select 1`);
    }).then(() => 'ok', (e) => String(e).slice(0, 120));
    say(i, Date.now() - at, outcome);
  }
  await rt.close();
}, 60000);

test('frozen', async () => {
  const f = await freezer(api.runtime.config.DATABASE_URL);
  const rt = await openRuntime(testConfig(f.url, { DATABASE_POOL: '3' }), 'x');
  await execute(rt.context(system).em, sql`create table if not exists scratch (n int)`);
  const at = Date.now();
  const outcome = await inTransaction(rt.context(system), async (ctx) => {
    await execute(ctx.em, sql`insert into scratch values (1)`);
    f.freeze();
    await firstRow(ctx.em, sql`insert into scratch values (2)`);
  }).then(() => 'ok', (e) => String(e).slice(0, 120));
  say('frozen in tx', Date.now() - at, outcome);
  const at2 = Date.now();
  say('read after', await firstRow(rt.context(system).em, sql`select 1`).then(() => 'ok', (e) => String(e).slice(0, 100)), Date.now() - at2);
  f.thaw();
  await new Promise((r) => setTimeout(r, 300));
  for (let i = 0; i < 4; i++) {
    const at3 = Date.now();
    say('after thaw', await inTransaction(rt.context(system), async (ctx) => firstRow(ctx.em, sql`select 1`)).then(() => 'ok', (e) => String(e).slice(0, 100)), Date.now() - at3);
  }
  say('rows', await firstRow(api.runtime.context(system).em, sql`select array_agg(n) from scratch`));
  await rt.close().catch(() => {}); f.close();
}, 60000);
