import { compare, startApi } from './support/http.ts';
import { createBenchMerchant, createCallers, withStack } from './support/stack.ts';

/**
 * P6: a POST with an `Idempotency-Key`, against the same POST without one. `POST /programs` can be repeated without limit
 * and writes a program, a counter and an event.
 */
await withStack(async ({ env, runtime }, started) => {
  const headers = await createCallers(runtime, await createBenchMerchant(runtime), 16);
  const api = started(await startApi(env));
  const bodies = [JSON.stringify({ name: 'Acme Partners', commissionType: 'recurring', commissionPercent: 25 })];
  const load = { url: `${api.url}/api/v1/programs`, method: 'POST', connections: 16, headers, bodies } as const;
  await compare(
    { name: 'P6', what: 'POST /programs with an Idempotency-Key, against the same without', floor: 0.6, goal: 0.8 },
    { server: api, load: { ...load, freshKeys: true } },
    { server: api, load },
  );
});
