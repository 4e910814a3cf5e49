import { compare, startApi } from './support/http.ts';
import { makeCallers, makeMerchant, withStack } from './support/stack.ts';

/**
 * P6: a POST under an `Idempotency-Key` against the same POST without. `POST /programs` can be repeated without end and
 * really writes: the program, its counter and its event.
 */
await withStack(async ({ env, runtime }, started) => {
  const headers = await makeCallers(runtime, await makeMerchant(runtime), 16);
  const api = started(await startApi(env));
  const bodies = [JSON.stringify({ name: 'Acme Partners', commissionType: 'recurring', commissionPercent: 25 })];
  const load = { url: `${api.url}/api/v1/programs`, method: 'POST', connections: 16, headers, bodies } as const;
  await compare(
    { name: 'P6', what: 'POST /programs with an Idempotency-Key, against the same without', floor: 0.6, goal: 0.8 },
    { server: api, load: { ...load, freshKeys: true } },
    { server: api, load },
  );
});
