import { Resolver } from 'node:dns/promises';
import { SendFailure } from './send-failure.ts';

/** All addresses of a name, IPv4 first. Throws `dns_not_found` or `dns_timeout`; an abort is `dns_timeout`. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

const MISSING = new Set(['ENOTFOUND', 'ENODATA']);

const isMissing = (result: PromiseSettledResult<string[]>): boolean =>
  result.status === 'rejected' && MISSING.has((result.reason as { code?: string }).code ?? '');

/**
 * Queries the name servers directly. getaddrinfo would use the thread pool of the process, which a few unresponsive name
 * servers can exhaust. The hosts file and search domains are ignored.
 */
export const resolveByDns: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) throw new SendFailure('dns_timeout');
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new SendFailure(answers.every(isMissing) ? 'dns_not_found' : 'dns_timeout');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
