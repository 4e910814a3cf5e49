import { networkOf } from '../http/address-bucket.ts';
import type { RateDecision, RateLimiter } from './rate-limit.ts';

/** Requests of one IPv6 network, in those of one address: providers of mobile phones put thousands of people into a /48. */
const NETWORK_FACTOR = 16;

/** Counts a request of an address, and of its network. The stricter of the two decides. */
export const decideByAddress = async (
  limiter: Pick<RateLimiter, 'decide'>,
  { group, address, limit }: { group: string; address: string; limit: number },
): Promise<RateDecision> => {
  const own = await limiter.decide(`${group}:${address}`, limit);
  const network = networkOf(address);
  if (network === null || !own.allowed) return own;
  const all = await limiter.decide(`${group}:${network}`, limit * NETWORK_FACTOR);
  return all.allowed ? own : all;
};
