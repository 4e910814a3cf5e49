import { useWebhookBench } from './support.ts';

const bench = useWebhookBench();

test('a merchant has fifty endpoints at most, however many are made at once', async () => {
  const merchant = await bench.merchant();
  const tries = Array.from({ length: 60 }, () => merchant.endpoint({ url: 'https://hooks.example.com/' }));
  const done = await Promise.allSettled(tries);
  expect(done.filter((one) => one.status === 'fulfilled')).toHaveLength(50);
  for (const one of done) {
    if (one.status === 'rejected')
      expect(one.reason).toMatchObject({ code: 'CONFLICT', details: { reason: 'TOO_MANY_ENDPOINTS', limit: 50 } });
  }
  const other = await bench.merchant();
  await expect(other.endpoint({ url: 'https://hooks.example.com/' })).resolves.toBeDefined();
});
