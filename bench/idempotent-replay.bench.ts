import { compare, startAnchor, startApi } from './support/http.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';

/** P7: a POST whose `Idempotency-Key` has a stored response, against bare Fastify that reads one row and sends it. */
await withStack(async ({ env, runtime }, started) => {
  const callers = await createCallers(runtime, await createBenchMerchant(runtime), 16);
  const headers = callers.map((caller) => ({ ...caller, 'idempotency-key': 'replayed' }));
  const api = started(await startApi(env));
  const body = JSON.stringify({ name: 'Acme Partners', commissionType: 'recurring', commissionPercent: 25 });
  for (const own of headers) {
    const { status } = await fetch(`${api.url}/api/v1/programs`, { method: 'POST', headers: own, body });
    if (status !== 201) throw new Error(`POST /programs returned ${status}`);
  }
  const anchor = started(await startAnchor('idempotent-replay.anchor.ts', env));
  const loadOf = (server: { url: string }) =>
    ({ url: `${server.url}/api/v1/programs`, method: 'POST', connections: 16, headers, bodies: [body] }) as const;
  await compare(
    { name: 'P7', what: 'POST /programs replayed, against bare Fastify that reads one row', floor: 0.4, goal: 0.7 },
    { server: api, load: loadOf(api) },
    { server: anchor, load: loadOf(anchor) },
  );
});
