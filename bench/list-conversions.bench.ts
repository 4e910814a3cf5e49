import { compare, startAnchor, startApi } from './support/http.ts';
import { assertSameShape } from './support/same.ts';
import { prepareList, withStack } from './support/stack.ts';

/** P1: an authenticated list of 20 rows, against bare Fastify and pg with the same statement. */
await withStack(async (stack, started) => {
  const { env, url, headers } = await prepareList(stack);
  const api = started(await startApi(env));
  const anchor = started(await startAnchor('list-conversions.anchor.ts', env));
  const loadOf = (server: { url: string }) => ({ url: server.url + url, method: 'GET', connections: 50, headers }) as const;
  await assertSameShape(loadOf(api), loadOf(anchor));
  await compare(
    { name: 'P1', what: 'authenticated list of 20 rows, against bare Fastify and pg', floor: 0.45, goal: 0.75 },
    { server: api, load: loadOf(api) },
    { server: anchor, load: loadOf(anchor) },
  );
});
