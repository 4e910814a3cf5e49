import type { OutboundPolicy } from './policy.ts';
import { type Resolve, resolveByDns } from './resolver.ts';
import { mayDial, readTarget, type UrlRule } from './url-rules.ts';

/** Limit for the name look-up while a caller waits. */
const VALIDATION_TIMEOUT_MS = 1_200;

/**
 * The rule that a URL breaks, or null. A name that cannot be resolved now passes: every delivery attempt resolves and
 * vets it again.
 */
export const validateUrl = async (
  policy: OutboundPolicy,
  text: string,
  resolve: Resolve = resolveByDns,
): Promise<UrlRule | null> => {
  const target = readTarget(policy, text);
  if ('broken' in target) return target.broken;
  if (target.literal) return null;
  const deadline = AbortSignal.timeout(VALIDATION_TIMEOUT_MS);
  const late = new Promise<string[]>((resolve) => {
    deadline.addEventListener('abort', () => resolve([]), { once: true });
  });
  const addresses = await Promise.race([resolve(target.host, deadline).catch(() => []), late]);
  return addresses.length === 0 || mayDial(policy, target, addresses) ? null : 'blocked_address';
};
