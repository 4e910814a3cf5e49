import { generateApiKey } from '../../../src/domains/auth/api-key-format.rules.ts';
import { ApiKeyCache, revokeApiKey } from '../../../src/domains/auth/index.ts';
import type { Orm } from '../../../src/platform/database/orm.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

/** A cache on the real database that counts its look-ups. */
const countingCache = () => {
  let count = 0;
  const { orm, log } = api.runtime;
  const em = new Proxy(orm.em, {
    get(target, name) {
      if (name === 'fork') count++;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { cache: new ApiKeyCache({ em } as unknown as Orm, log), lookUps: () => count };
};

test('H8: repeated guesses with a right checksum cost one look-up each', async () => {
  const { cache, lookUps } = countingCache();
  const forged = generateApiKey('merchant');
  for (let n = 0; n < 300; n++) expect(await cache.verify(forged)).toBe('unknown');
  expect(lookUps()).toBe(1);
});

test('H8: concurrent requests with one unknown key share a look-up', async () => {
  const { cache, lookUps } = countingCache();
  const forged = generateApiKey('merchant');
  expect(new Set(await Promise.all(Array.from({ length: 300 }, () => cache.verify(forged))))).toEqual(new Set(['unknown']));
  expect(lookUps()).toBe(1);
});

test('H8: a revoked key is remembered, and everything is looked up again after an invalidation', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key, keyId } = await makeKey(api.runtime, { ownerId: merchantId });
  await revokeApiKey(api.runtime.context({ kind: 'system', name: 'test' }), { id: keyId });
  const { cache, lookUps } = countingCache();
  expect([await cache.verify(key), await cache.verify(key), lookUps()]).toEqual(['revoked', 'revoked', 1]);
  cache.invalidate();
  expect([await cache.verify(key), lookUps()]).toEqual(['revoked', 2]);
});
