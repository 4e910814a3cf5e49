import { compare, startAnchor, startApi } from './support/http.ts';
import { assertSameShape, fetchText } from './support/same.ts';
import { prepareList, withStack } from './support/stack.ts';

/** P2: the list of P1, against bare Fastify that sends the same response from memory. */
await withStack(async (stack, started) => {
  const { env, url, headers } = await prepareList(stack);
  const api = started(await startApi(env));
  const loadOf = (server: { url: string }) => ({ url: server.url + url, method: 'GET', connections: 50, headers }) as const;
  const anchor = started(await startAnchor('constant-response.anchor.ts', { ...env, RESPONSE: await fetchText(loadOf(api)) }));
  await assertSameShape(loadOf(api), loadOf(anchor));
  await compare(
    { name: 'P2', what: 'authenticated list of 20 rows, against bare Fastify with a constant', floor: 0.1, goal: 0.22 },
    { server: api, load: loadOf(api) },
    { server: anchor, load: loadOf(anchor) },
  );
});
