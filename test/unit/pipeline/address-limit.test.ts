import { decideByAddress } from '../../../src/platform/redis/address-limit.ts';
import type { RateDecision } from '../../../src/platform/redis/rate-limit.ts';

/** Counts as the limiter does, without a window. */
const countingLimiter = () => {
  const counts = new Map<string, number>();
  const decide = async (bucket: string, limit: number): Promise<RateDecision> => {
    const used = counts.get(bucket) ?? 0;
    const allowed = used < limit;
    if (allowed) counts.set(bucket, used + 1);
    return { allowed, limit, remaining: limit - used - (allowed ? 1 : 0), resetAt: 0, retryAfter: 1 };
  };
  return { decide };
};

const allowedOf = async (addresses: readonly string[]): Promise<number> => {
  const limiter = countingLimiter();
  let allowed = 0;
  for (const address of addresses) if ((await decideByAddress(limiter, { group: 'a', address, limit: 2 })).allowed) allowed++;
  return allowed;
};

const blocks = (count: number): string[] => Array.from({ length: count }, (_, n) => `2001:db8:1:${n.toString(16)}::/64`);

test('one address has its limit, the addresses of a network 16 times as much, and those of IPv4 nothing in common', async () => {
  expect(await allowedOf(Array.from({ length: 5 }, () => '2001:db8:1:1::/64'))).toBe(2);
  expect(await allowedOf(blocks(500))).toBe(32);
  expect(await allowedOf(Array.from({ length: 500 }, (_, n) => `203.0.${n >> 8}.${n & 255}`))).toBe(500);
});
